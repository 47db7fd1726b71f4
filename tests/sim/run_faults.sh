#!/usr/bin/env bash
# run_faults.sh GRADUS FILE: a kernel with a planted fault is simulated, and what `gradus explain` finds is compared with the
# marks in the file. SPDX-License-Identifier: MIT
#
# Marks stand behind the line that they speak of; several are parted by ";":
#   // FAULT kind [array]    there must be a finding of this kind with this line, whose text names the array, and it is a fault
#   // WARN kind [array]     likewise, and it is a warning; ADVISE: it is advice
#   // EDGE kind [array]     likewise a warning, of "//! edges SIZE" alone, which looks at the edge shapes
#   // WITH kind [array]     the other line of the pair: the finding may have this line instead, and names the partner's
#   // MAY kind [array]      such a finding may stand here too; all others of the fault kinds are wrong
# Lines at the top: "//! size MxNxK" (each a run), "//! options …", "//! device sim:mi210" (else sim), "//! run SIZE kind
# verdict": `gradus run` must give that verdict with such a finding; "//! told REGEX": one of its findings must say that; "//! untold REGEX": none may. "//! says
# REGEX": one of the findings of `explain` must say that; "//! exit N": its status.
# "// with NAME VALUE" becomes the option --NAME. A file with the parameter FIXED is right where it is 1: then there must be
# no finding of the fault kinds, and the product must be right.
set -u
gradus=$1 file=$2
here=$(dirname "$0")
export GRADUS_NVRTC=/missing.so GRADUS_HIPRTC=/missing.so # what the simulator sees does not depend on a GPU's compiler
name=$(basename "${file%.*}")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-planted.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
failed=0
device=$(sed -n 's|^//! device ||p' "$file")
options=(--device "${device:-sim}")
while read -r key value; do
  options+=("--$key" "$value")
done < <(sed -n 's|^// with ||p' "$file" | grep -v '^require')
read -ra extra <<<"$(sed -n 's|^//! options ||p' "$file")"
options+=("${extra[@]}")

complain() {
  echo "FAIL $name: $*"
  failed=1
}

# Runs `gradus "$@" --format json`; its findings, a line each: kind, tab, line, tab, text.
ask() {
  timeout 100 "$gradus" "$@" --format json >"$out/json" 2>"$out/err" </dev/null
  code=$?
  if grep -q 'cannot simulate here' "$out/err"; then
    echo "skip: $(head -n 1 "$out/err")"
    exit 77
  fi
  "${FLATTEN:-$here/flatten.awk}" "$out/json" >"$out/flat" 2>>"$out/err" ||
    complain "no JSON (exit status $code) from gradus $*: $(head -n 1 "$out/err")"
  awk -F'\t' -f "$here/findings.awk" "$out/flat" >"$out/findings"
}

explain() { # fixed size shapes
  local words=(explain "$file" --size "$2" "${options[@]}")
  [[ $mendable == no ]] || words+=(--param "FIXED=$1")
  words+=(--shapes "$3")
  ask "${words[@]}"
  local edges=0
  [[ $3 == no ]] || edges=1
  status=$(sed -n 's|^//! exit ||p' "$file")
  [[ $1 == 1 || -z $status || $status == "$code" ]] || complain "exit status $code, wanted $status: gradus ${words[*]}"
  while read -r regex && [[ $1 == 0 ]]; do
    grep -q -E -e "$regex" "$out/findings" || complain "no finding says '$regex': gradus ${words[*]}"
  done < <(sed -n 's|^//! says ||p' "$file")
  awk -v fixed="$1" -v edges="$edges" -f "$here/compare.awk" "$file" "$out/findings" >"$out/said" ||
    complain "gradus ${words[*]}"$'\n'"$(cat "$out/said")"
}

run() { # fixed size kind verdict
  local words=(run "$file" "${options[@]}" --size "$2" --verify-only)
  [[ $mendable == no ]] || words+=(--param "FIXED=$1")
  ask "${words[@]}"
  local wanted=1
  [[ $4 != right ]] || wanted=0
  grep -q "verdict"$'\t'"$4\$" "$out/flat" || complain "the verdict is not '$4': gradus ${words[*]}"
  [[ $3 == - ]] || grep -q "^$3"$'\t' "$out/findings" || complain "no finding '$3': gradus ${words[*]}"
  while read -r regex && [[ $1 == 0 ]]; do
    grep -q -E -e "$regex" "$out/findings" || complain "no finding says '$regex': gradus ${words[*]}"
  done < <(sed -n 's|^//! told ||p' "$file")
  while read -r regex && [[ $1 == 0 ]]; do
    ! grep -E -e "$regex" "$out/findings" || complain "a finding says '$regex': gradus ${words[*]}"
  done < <(sed -n 's|^//! untold ||p' "$file")
  [[ $1 == 0 ]] || ! grep -E '^(shape|unwritten|wrong-element)' "$out/findings" || complain "fixed: gradus ${words[*]}"
  ((code == wanted)) || complain "exit status $code, wanted $wanted: gradus ${words[*]}"
}

mendable=no
grep -q '^//@ .*FIXED' "$file" && mendable=yes
read -ra sizes <<<"$(sed -n 's|^//! size ||p' "$file" | tr '\n' ' ')"
read -ra edges <<<"$(sed -n 's|^//! edges ||p' "$file" | tr '\n' ' ')"
mapfile -t runs < <(sed -n 's|^//! run ||p' "$file")
if ((${#sizes[@]} + ${#edges[@]} + ${#runs[@]} == 0)); then
  complain "has none of '//! size', '//! edges', '//! run'"
fi
for size in "${sizes[@]}"; do
  explain 0 "$size" no
  [[ $mendable == no ]] || explain 1 "$size" no
done
for size in "${edges[@]}"; do
  explain 0 "$size" yes
  [[ $mendable == no ]] || explain 1 "$size" yes
done
for words in "${runs[@]}"; do
  read -r size kind verdict <<<"$words"
  run 0 "$size" "$kind" "$verdict"
done
[[ $mendable == no ]] || run 1 64 - right
exit $failed
