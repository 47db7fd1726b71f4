#!/bin/sh
# generate.sh PROGRAM ROOT: writes the manual page, the completion scripts, the guide to the GPU ladder
# and the table of docs/advice.md below ROOT. SPDX-License-Identifier: MIT
set -eu
program=$1
root=$2
mkdir -p "$root/docs" "$root/completions"
"$program" man >"$root/docs/gradus.1"
"$program" completion bash >"$root/completions/gradus.bash"
"$program" completion zsh >"$root/completions/_gradus"
"$program" completion fish >"$root/completions/gradus.fish"
advice=$(dirname "$0")/../../docs/advice.md
"$program" rules >"$root/docs/advice.rules"
awk -v rules="$root/docs/advice.rules" '
  /^<!-- rules/ { print; while ((getline line < rules) > 0) print line; skip = 1; next }
  /^<!-- end/ { skip = 0 }
  !skip' "$advice" >"$root/docs/advice.md.new"
rm "$root/docs/advice.rules"
mv "$root/docs/advice.md.new" "$root/docs/advice.md"
# Measured runs are read as JSON, which a build without cJSON cannot.
notes=$(dirname "$0")/../../docs/ladder
if "$program" guide "$notes" >"$root/docs/ladder.md.new"; then
    mv "$root/docs/ladder.md.new" "$root/docs/ladder.md"
else
    rm -f "$root/docs/ladder.md.new"
fi
