#!/usr/bin/env bash
# rungs_compile.sh GRADUS [amd]: every GPU rung, in each of its types on Hopper and CDNA 2 and in the first elsewhere, compiles for T4 to H200, or for AMD's CDNA and RDNA,
# without spills and with no more registers, shared memory and so on than its file claims: `gradus explain` judges the
# `expect` lines. A rung whose `arch` line does not have an architecture is left out there. For AMD the files claim what
# clang 19 or later makes: an older one, and the hipRTC of an older ROCm, which would otherwise be asked first, allocate
# other registers. Needs NVRTC, or such a clang; no GPU.
# SPDX-License-Identifier: MIT
set -u
gradus=$1

newest_clang() {
  local version
  for version in $(seq 40 -1 19); do
    command -v "clang-$version" && return
  done
  return 1
}

case ${2:-nvidia} in
amd)
  archs='gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1201' missing='no clang of version 19 or later'
  GRADUS_HIP_CLANG=$(newest_clang) || { echo "skip: $missing was found" && exit 77; }
  export GRADUS_HIP_CLANG
  ;;
*) archs='sm_75 sm_80 sm_86 sm_89 sm_90a' missing='no libnvrtc' ;;
esac
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-compile.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 skipped=0 failed=0

# The words of --dtype for the types of a row of `gradus list`: of A=f16 B=f16 C=f16 ACC=f32 it is f16-f16.
words_of() {
  sed 's/, /\n/g' | sed -E 's/^ *A=([^ ]*) B=[^ ]* C=([fs]32) .*/\1/; s/^ *A=([^ ]*) B=[^ ]* C=([^ ]*) .*/\1-\2/; s/ //g'
}

compile() {
  local rung=$1 arch=$2 type=$3
  "$gradus" explain "$rung" --simulate no --arch "$arch" --dtype "$type" >"$out/said" 2>&1
  local code=$?
  if grep -q 'no CUDA compiler\|no compiler for AMD' "$out/said"; then
    echo "skip: $missing was found"
    exit 77
  elif ((code == 0)) && grep -q '^  holds     spills == 0' "$out/said" && ! grep -q '^  unknown ' "$out/said"; then
    passed=$((passed + 1))
  elif grep -q '^  skip: needs ' "$out/said"; then
    skipped=$((skipped + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $rung $type $arch (status $code)"
    tail -n 12 "$out/said"
  fi
}

for rung in $("$gradus" list --device cuda --format names); do
  types=$("$gradus" list --device cuda --format md | awk -F'|' -v rung="$rung" '$3 ~ rung { print $5 }' | words_of)
  for arch in $archs; do
    count=0
    for type in $types; do
      count=$((count + 1))
      case $type,$arch in # all types on Hopper and CDNA, and the first elsewhere
      *,sm_90a | *,gfx90a) ;;
      *) ((count == 1)) || continue ;;
      esac
      compile "$rung" "$arch" "$type"
    done
  done
done
echo "$passed builds as their files claim, $skipped of architectures that a rung does not have, $failed not"
((failed == 0 && passed > 0))
