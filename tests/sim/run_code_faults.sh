#!/usr/bin/env bash
# run_code_faults.sh GRADUS FILE: the planted faults of run_faults.sh, found by executing the machine code: each kind that the
# marks in the file name, but for those of only_source.list; and none where FIXED is 1. SPDX-License-Identifier: MIT
set -u
gradus=$1 file=$2
here=$(dirname "$0")
name=$(basename "${file%.*}")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-code-faults.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
kinds='barrier|bounds|alignment|race|uninitialised|overflow|unused'
options=(--device sim --engine code --format json)
while read -r key value; do
  options+=("--$key" "$value")
done < <(sed -n 's|^// with ||p' "$file" | grep -v '^require')
read -ra extra <<<"$(sed -n 's|^//! options ||p' "$file")"
options+=("${extra[@]}")

# ask WORD…: the kinds of what `gradus explain` finds, a line each.
ask() {
  timeout 100 "$gradus" explain "$file" "${options[@]}" "$@" >"$out/json" 2>"$out/err" </dev/null
  if grep -q -e 'no CUDA compiler' -e 'cannot simulate here' "$out/err" "$out/json"; then
    echo "skip: no NVRTC: pip install nvidia-cuda-nvrtc" >&2
    exit 77
  fi
  grep -q '"widths": "code"' "$out/json" || echo 'not executed'
  awk -f "$here/flatten.awk" "$out/json" | awk -F'\t' -f "$here/findings.awk" | cut -f1 | grep -x -E "$kinds" | sort -u
}

size=$(sed -n 's|^//! size ||p' "$file" | tr '\n' ' ' | cut -d' ' -f1) shapes=no
if [[ -z $size ]]; then
  size=$(sed -n 's|^//! edges ||p' "$file" | head -n 1) shapes=yes
fi
fixed=() mended=none
if grep -q '^//@ .*FIXED' "$file"; then
  fixed=(--param FIXED=0)
  mended=$(ask --size "$size" --shapes "$shapes" --param FIXED=1) || exit
fi
found=$(ask --size "$size" --shapes "$shapes" "${fixed[@]}") || exit
failed=0
while read -r kind; do
  source=$(grep -c -E "^$name +$kind " "$here/only_source.list")
  code=$(grep -c -x "$kind" <<<"$found")
  if ((source + code != 1)); then
    echo "FAIL $name: $kind is ${source/0/not }in only_source.list, and the machine code finds $code: ${found//$'\n'/ }"
    failed=1
  fi
done < <(grep -o -E '// (FAULT|WARN|EDGE) [a-z]+' "$file" | cut -d' ' -f3 | grep -x -E "$kinds" | sort -u)
if [[ $mended != none && -n $(grep -v -x unused <<<"$mended") ]]; then
  echo "FAIL $name: mended, it has ${mended//$'\n'/ }"
  failed=1
fi
exit $failed
