#!/bin/sh
# shim_compiles.sh SHIM_SOURCES FOLDER ROOT KERNEL.cu...: a host's C++ compiler takes each kernel file's translation, as it is
# traced and as it is run fast. FOLDER is emptied. SPDX-License-Identifier: MIT
set -u
sources=$1 out=$2 root=$3
shift 3
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null 2>&1 || { echo "skip: no $cxx (apt-get install g++)"; exit 77; }
rm -rf "$out" && mkdir -p "$out" || exit 1
"$sources" "$out" "$@" >"$out/said" || { cat "$out/said"; exit 1; }
failed=0
# What is not for this simulator says so, and nothing else does: the rungs of the tensor cores are inline PTX.
grep -v '/texture_object.cu:\|/tensor_map.cu\|/kernels/gpu/\(1[6-9]\|2[0-9]\|3[1-4]\)_' "$out/said" && { echo "FAIL: refused without need"; failed=1; }

traced="-O2 -g -fsanitize=thread --param tsan-instrument-func-entry-exit=0 -fno-tree-sra -fno-ipa-sra
  -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-extern-tls-init -fPIC"
# As it is run fast, other optimization of the same: whatever runs the kernel makes code of it (rungs.sim.*, sim.*).
fast="-O3 -march=native -fsyntax-only"
# compiled FILE FLAG...: silently, as a user sees it.
compiled() {
  file=$1
  shift
  "$cxx" "$@" -w -I"$out/include" -I"$root/kernels/gpu" -I"$root/tests/kernels" -include gr_cuda.h -c "$file" \
    -o "$out/object.o" >"$out/log" 2>&1 && return
  echo "FAIL $file: $cxx $*" && head -n 20 "$out/log"
  failed=1
}
# gpu_of FILE KERNEL.cu...: the flags of the GPU that the kernel is for, if its `arch` line has AMD's. Its translation here is
# for warps of 32, which gfx11 has.
gpu_of() {
  name=$(basename "$1" .cpp)
  shift
  for kernel in "$@"; do
    [ "$(basename "$kernel")" = "$name" ] || continue
    case $(grep '^//@ arch ' "$kernel") in
    *gfx11*) echo "-DGRADUS_GFX=0x1100 -DGRADUS_WARP_SIZE=32" ;;
    *gfx90a*) echo "-DGRADUS_GFX=0x90a -DGRADUS_WARP_SIZE=64" ;;
    esac
  done
}
for file in "$out"/*.cpp; do
  gpu=$(gpu_of "$file" "$@")
  # shellcheck disable=SC2086 # flags are words
  compiled "$file" -std=c++17 $traced $gpu
  # shellcheck disable=SC2086
  compiled "$file" -std=c++17 $fast $gpu
done
exit $failed
