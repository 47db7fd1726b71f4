#!/usr/bin/env bash
# run_code_faults.sh GRADUS FILE: the planted faults of run_faults.sh, found by executing the machine code: each kind that the
# marks in the file name, but for those of only_source.list; and none where FIXED is 1. SPDX-License-Identifier: MIT
#
# A file of code/ is held to its marks: FAULT wants a fault of that kind with that line, whose text names the array; WITH wants
# the line named as the other one; nothing else may be found. `gradus run` must find the kernel wrong, and mended, or without a
# FAULT, right.
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

complain() {
  echo "FAIL $name: $*"
  failed=1
}

# marks_of WORD: "LINE KIND ARRAY" of each such mark.
marks_of() {
  awk -v word="$1" '{ n = split($0, part, "// |; *"); for (i = 2; i <= n; i++) if (split(part[i], f, " ") >= 2 && f[1] == word) print NR, f[2], f[3] }' "$file"
}

# Of a file of code/: what was found for it as it is stands in $out/findings.
hold_to_marks() {
  local line kind array text
  while read -r line kind array; do
    awk -F'\t' -v k="$kind" -v l="$line" -v a=" ${array}[" '$1 == k && $2 == l && index($3, a) { hit = 1 } END { exit !hit }' "$out/findings" ||
      complain "no $kind of ${array:-anything} in line $line"
  done < <(marks_of FAULT)
  while read -r line kind array; do
    awk -F'\t' -v k="$kind" -v l=" line ${line}[^0-9]" -v a=" ${array}[" '$1 == k && ($3 " ") ~ l && index($3, a) { hit = 1 } END { exit !hit }' "$out/findings" ||
      complain "no $kind of ${array:-anything} names line $line"
  done < <(marks_of WITH)
  while IFS=$'\t' read -r kind line text _; do
    marks_of FAULT | grep -q "^$line $kind " || complain "found $kind in line $line: $text"
  done < <(grep -E "^($kinds|unwritten)"$'\t' "$out/findings")
}

# verify WANTED WORD…: `gradus run` ends with that status.
verify() {
  local wanted=$1
  shift
  timeout 100 "$gradus" run "$file" "${options[@]}" --verify-only --peer none "$@" >"$out/run" 2>&1 </dev/null
  local code=$?
  ((code == wanted)) || complain "gradus run $*: exit status $code, wanted $wanted: $(grep -o 'not searched.*' "$out/run" | head -n 1)"
}

# ask WORD…: the kinds of what `gradus explain` finds, a line each.
ask() {
  timeout 100 "$gradus" explain "$file" "${options[@]}" "$@" >"$out/json" 2>"$out/err" </dev/null
  if grep -q -e 'no CUDA compiler' -e 'cannot simulate here' "$out/err" "$out/json"; then
    echo "skip: no NVRTC: pip install nvidia-cuda-nvrtc" >&2
    exit 77
  fi
  grep -q '"widths": "code"' "$out/json" || echo 'not executed'
  "${FLATTEN:-$here/flatten.awk}" "$out/json" | awk -F'\t' -f "$here/findings.awk" >"$out/findings"
  cut -f1 "$out/findings" | grep -x -E "$kinds" | sort -u
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
if [[ $(basename "$(dirname "$file")") == code ]]; then
  hold_to_marks
  [[ $mended == none ]] || verify 0 --size "$size" --shapes no --param FIXED=1
  verify "$((1 - (${#fixed[@]} == 0)))" --size "$size" --shapes no "${fixed[@]}"
fi
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
