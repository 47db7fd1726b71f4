#!/usr/bin/env bash
# amd_rungs_compile.sh GRADUS ROOT: every GPU rung that is not for NVIDIA alone, compiled for AMD's GPUs by a clang: its
# VGPRs, LDS and scratch are known, LDS is as large as for NVIDIA, and nothing is spilled, as its file claims. Needs a
# clang with the AMDGPU back end and lld, no GPU. SPDX-License-Identifier: MIT
set -u
gradus=$1 root=$2
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-amd.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 unknown=''

# With 256 VGPRs at most a work-item's 8 x 8 sums of f64 and their fragments do not quite fit.
may_spill() { [[ $1 == 07_tile2d && $2 == f64 && $3 == gfx1* ]]; }

# fact NAME: a number of the explanation.
fact() { sed -n "s/.*\"$1\": *\({\"value\": *\)\{0,1\}\([0-9.]*\).*/\2/p" "$out/said" | head -n 1; }

fail() {
  failed=$((failed + 1))
  echo "FAIL $1"
  head -c 600 "$out/said"
  echo
}

# The static shared memory that the file declares, by its text: the sizes are those of the default parameters.
check() { # RUNG TYPE ARCH
  "$gradus" explain "$1" --simulate no --arch "$3" --dtype "$2" --format csv >"$out/csv" 2>"$out/said"
  local code=$?
  if grep -q 'no compiler for AMD' "$out/said" "$out/csv"; then
    echo "skip: no clang with the AMDGPU back end was found (apt-get install clang-19 lld-19 llvm-19)"
    exit 77
  elif grep -q 'finds no linker' "$out/said" "$out/csv"; then
    echo "skip: no lld was found (apt-get install lld-19)"
    exit 77
  elif grep -q 'does not know gfx' "$out/said" "$out/csv"; then
    [[ $unknown == *" $3"* ]] || unknown+=" $3"
    return
  fi
  judge "$@" "$code"
}
