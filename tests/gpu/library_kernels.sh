#!/usr/bin/env bash
# library_kernels.sh GRADUS: the library's kernels that are no rungs (kernels/library/) have no fault on the simulator, at
# whole and cut tiles, aligned and not, and compile for Ampere and Hopper as their files claim. Needs g++; NVRTC for the second.
# SPDX-License-Identifier: MIT
set -u
gradus=$1
folder=$(dirname "$0")/../../kernels/library
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-library.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
failed=0

# explain FILE OPTION…: its status, and what it says in $out/said.
explain() {
  timeout 100 "$gradus" explain "$@" >"$out/said" 2>&1 </dev/null
  code=$?
  if grep -q 'cannot simulate here' "$out/said"; then
    echo "skip: $(head -n 1 "$out/said")"
    exit 77
  fi
}
complain() {
  echo "FAIL $*"
  tail -n 15 "$out/said"
  failed=1
}

# no_fault FILE SIZES…
no_fault() {
  local file=$1
  shift
  for sizes; do
    explain "$folder/$file" --device sim --size "$sizes"
    if ((code != 0)) || grep -q '^  fault' "$out/said"; then
      complain "$file $sizes: status $code"
    fi
  done
}
no_fault finish.cu M=9,N=1000 M=300,N=5,ldc=5,activation=1 M=3,N=1030,ldc=1031,per_row=1,batch=3,stride_c=3101 \
  M=9,N=1000,ldc=1003,activation=0
no_fault finish_rounded.cu M=9,N=1000 M=300,N=5,lds=8,ldc=5,activation=1 M=3,N=1030,lds=1032,ldc=1031,per_row=1

compiled=0
for build in 'finish.cu f32 4' 'finish.cu f64 2' 'finish_rounded.cu bf16-bf16' 'finish_rounded.cu f16-f16'; do
  read -r file type width <<<"$build"
  for arch in sm_80 sm_90a; do
    explain "$folder/$file" --simulate no --arch "$arch" --dtype "$type" ${width:+--param "V=$width"}
    grep -q 'no CUDA compiler' "$out/said" && continue
    compiled=$((compiled + 1))
    if ((code != 0)) || ! grep -q '^  holds     spills == 0' "$out/said"; then
      complain "$file $type $arch: status $code"
    fi
  done
done
echo "$compiled builds for GPUs"
exit "$failed"
