#!/bin/sh
# generate.sh PROGRAM ROOT: writes the manual page and the completion scripts below ROOT. SPDX-License-Identifier: MIT
set -eu
program=$1
root=$2
mkdir -p "$root/docs" "$root/completions"
"$program" man >"$root/docs/gradus.1"
"$program" completion bash >"$root/completions/gradus.bash"
"$program" completion zsh >"$root/completions/_gradus"
"$program" completion fish >"$root/completions/gradus.fish"
