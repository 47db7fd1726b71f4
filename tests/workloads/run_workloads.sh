#!/usr/bin/env bash
# run_workloads.sh GRADUS FILE: a kernel that is no GEMM is explained on the simulator. SPDX-License-Identifier: MIT
#
# What must be found is in the file, as marks that tests/sim/run_faults.sh (FAULT, MAY, WITH) and tests/sim/run_counts.sh (COUNT)
# explain. Lines at the top: "//! verdict WORD" of the explanation, with `faults` for a wrong kernel, whose exit status must be 1;
# "//! says REGEX": one of the findings must say that; "//! fact NAME VALUE": a fact of the explanation; "//! size SIZES": it is
# explained for these sizes, too, where only the faults are compared.
#
# The same kernel without its `size`, `array`, `flop` and `bytes` lines, given as options instead, must have the same answer.
set -u
gradus=$1 file=$2
here=$(dirname "$0")
awks=$here/../sim
export GRADUS_NVRTC=/missing.so GRADUS_HIPRTC=/missing.so # what the simulator sees does not depend on a GPU's compiler
name=$(basename "${file%.*}")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-workload.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
failed=0
verdict=$(sed -n 's|^//! verdict ||p' "$file")
wrong=0
[[ $verdict != faults ]] || wrong=1

complain() {
  echo "FAIL $name: $*"
  failed=1
}

# In a folder of its own, so that both kernels have the same path: explain FOLDER [OPTION…]
explain() {
  local folder=$out/$1
  shift
  (cd "$folder" && timeout 100 "$gradus" explain "$name.cu" --device sim --format json "$@") >"$folder/json" 2>"$folder/err" </dev/null
  code=$?
  if grep -q 'cannot simulate here' "$folder/err"; then
    echo "skip: $(head -n 1 "$folder/err")"
    exit 77
  fi
  ((code == wrong)) || complain "exit status $code, wanted $wrong: gradus explain $file $* ($(head -n 1 "$folder/err"))"
  "${FLATTEN:-$awks/flatten.awk}" "$folder/json" | grep -v -E '^command|blocks\.time_ns' >"$folder/flat" || complain "no JSON: gradus explain $file $*"
  awk -F'\t' -f "$awks/findings.awk" "$folder/flat" >"$folder/findings"
  awk -v fixed="$((1 - wrong))" -v edges=0 -f "$awks/compare.awk" "$file" "$folder/findings" >"$out/said" ||
    complain "gradus explain $file $*"$'\n'"$(cat "$out/said")"
}

mkdir "$out/lines" "$out/options"
cp "$file" "$out/lines/$name.cu"
sed -E 's/^\/\/@ (size|array|flop|bytes) .*//' "$file" >"$out/options/$name.cu"
options=()
while read -r key value; do
  options+=("--$key" "$value")
done < <(sed -n -E 's/^\/\/@ ((size|array|flop|bytes) .*)/\1/p' "$file")

while read -r sizes; do
  explain lines --size "$sizes"
done < <(sed -n 's|^//! size ||p' "$file")

explain lines
grep -q -x -F "verdict"$'\t'"$verdict" "$out/lines/flat" || complain "wanted the verdict '$verdict', found: $(grep '^verdict' "$out/lines/flat")"
while read -r regex; do
  grep -q -E -e "$regex" "$out/lines/findings" || complain "no finding says '$regex'"
done < <(sed -n 's|^//! says ||p' "$file")
while read -r fact value; do
  grep -q -x -F "facts.$fact"$'\t'"$value" "$out/lines/flat" ||
    complain "fact $fact: wanted $value, found: $(grep -F "facts.$fact"$'\t' "$out/lines/flat")"
done < <(sed -n 's|^//! fact ||p' "$file")
if grep -q '// COUNT ' "$file"; then
  awk -f "$awks/counts.awk" "$out/lines/flat" "$file" >"$out/said" || complain "counts:"$'\n'"$(cat "$out/said")"
fi

explain options "${options[@]}"
cmp -s "$out/lines/flat" "$out/options/flat" ||
  complain "another answer with options in place of lines:"$'\n'"$(diff "$out/lines/flat" "$out/options/flat" | head -n 5)"
exit $failed
