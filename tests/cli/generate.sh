#!/bin/sh
# generate.sh PROGRAM ROOT: writes the manual page, the completion scripts and the guide to the GPU ladder below ROOT. SPDX-License-Identifier: MIT
set -eu
program=$1
root=$2
mkdir -p "$root/docs" "$root/completions"
"$program" man >"$root/docs/gradus.1"
"$program" completion bash >"$root/completions/gradus.bash"
"$program" completion zsh >"$root/completions/_gradus"
"$program" completion fish >"$root/completions/gradus.fish"
# Measured runs are read as JSON, which a build without cJSON cannot.
notes=$(dirname "$0")/../../docs/ladder
if "$program" guide "$notes" >"$root/docs/ladder.md.new"; then
    mv "$root/docs/ladder.md.new" "$root/docs/ladder.md"
else
    rm -f "$root/docs/ladder.md.new"
fi
