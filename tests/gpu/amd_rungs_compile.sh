#!/usr/bin/env bash
# amd_rungs_compile.sh GRADUS: the GPU rungs that are not for NVIDIA alone, compiled by a clang for AMD's GPUs: their
# VGPRs are known, their LDS is what their text declares, nothing is spilled, and the disassembler knows every
# instruction. Without a compiler or a disassembler one line says how to get it, and the rest is explained. Needs a
# clang with the AMDGPU back end and lld, no GPU. SPDX-License-Identifier: MIT
set -u
gradus=$1
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-amd.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 unknown=''

# The bytes of LDS that each rung declares in f32 and in f64, worked out by hand from its parameters' defaults:
# two tiles of BS x BS, of BM x BK and BK x BN, or of BK x (BM+16/bytes of an element) and BK x BN; -: it has no f64.
lds='01_naive 0 0
02_coalesced_xy 0 0
03_coalesced_1d 0 0
04_shared_1d 8192 16384
05_shared_2d 8192 16384
06_tile1d 8192 16384
07_tile2d 16384 32768
08_vectorized 16384 32768
09_conflict_free 8320 16512
10_warp_tile 16640 -
13_lds_tile 2048 4096'

# Where the file has half of 07_tile2d's depth as the default, its tiles have half of the bytes.
lds_of() { # RUNG ARCH BYTES
  case $1-$2 in
  07_tile2d-gfx942 | 07_tile2d-gfx1*) echo $(($3 / 2)) ;;
  *) echo "$3" ;;
  esac
}

fact() { awk -F, -v name="$1" '$3 == name { print $4 }' "$out/csv"; }

fail() {
  failed=$((failed + 1))
  echo "FAIL $*"
  head -n 20 "$out/said"
}

check() { # RUNG TYPE ARCH LDS
  "$gradus" explain "$1" --simulate no --arch "$3" --dtype "$2" --format csv >"$out/csv" 2>"$out/said"
  local code=$? spilled
  if [[ ! $(fact regs) ]]; then
    "$gradus" explain "$1" --simulate no --arch "$3" --dtype "$2" >"$out/said" 2>&1
    if tr '\n' ' ' <"$out/said" | tr -s ' ' | grep -q 'does not know gfx'; then
      [[ $unknown == *" $3"* ]] || unknown+=" $3"
    else
      fail "$1 $2 $3: no registers (status $code)"
    fi
    return
  fi
  spilled=$(($(fact stack_bytes) + $(fact spills)))
  if [[ $(fact smem.static_bytes) != "$4" ]]; then
    fail "$1 $2 $3: found $(fact smem.static_bytes) bytes of LDS, wanted $4"
  elif ((spilled > 0)); then
    fail "$1 $2 $3: $(fact stack_bytes) bytes of scratch, $(fact spills) spills"
  elif (($(fact regs) < 4 || $(fact sgprs) < 4 || $(fact wave) < 32)); then
    fail "$1 $2 $3: $(fact regs) VGPRs, $(fact sgprs) SGPRs, wavefronts of $(fact wave)"
  elif grep -q 'instructions have no name here' "$out/csv"; then
    fail "$1 $2 $3: instructions without a name"
  else
    passed=$((passed + 1))
  fi
}

said() { "$gradus" explain 5 --simulate no --arch gfx90a 2>&1 | tr '\n' ' ' | tr -s ' '; }

what=$(said)
case $what in
*'no compiler for AMD'*)
  echo "skip: no clang with the AMDGPU back end was found (apt-get install clang-19 lld-19 llvm-19)"
  exit 77
  ;;
*'finds no linker'*)
  echo "skip: ${what##*skip: }"
  exit 77
  ;;
esac
while read -r rung f32 f64; do
  for arch in gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1201; do
    check "$rung" f32 $arch "$(lds_of "$rung" $arch "$f32")"
    if [[ $f64 != - && $arch =~ ^gfx(90a|1030|1100)$ ]]; then check "$rung" f64 $arch "$(lds_of "$rung" $arch "$f64")"; fi
  done
done <<<"$lds"

# The matrix cores: what they are named by is found, and accumulation registers are among the vector registers.
"$gradus" explain "${0%/*}/amd_matrix.hip" --simulate no --arch gfx90a --size 32 --grid 1 --block 64 --format csv \
  >"$out/csv" 2>"$out/said"
if (($(fact agprs) < 16 || $(fact regs) <= $(fact agprs) || $(fact code.mma) != 1)); then
  fail "amd_matrix.hip: $(fact regs) VGPRs, $(fact agprs) of them AGPRs, $(fact code.mma) instructions of the matrix cores"
fi

# What is missing is said in a line, and the rest goes on.
what=$(GRADUS_HIP_CLANG=/nowhere said)
if [[ $what != *"GRADUS_HIP_CLANG: '/nowhere' is not a clang"* || $what != *'Time floors'* ]]; then
  fail "without a compiler: $what"
fi
what=$(GRADUS_LLVM_OBJDUMP=/nowhere said)
if [[ $what != *'no llvm-objdump here; get it with: apt-get install llvm-19'* || $what != *'Vector registers: '* ||
  $what != *'spills == 0 (spills is 0)'* ]]; then
  fail "without a disassembler: $what"
fi
# A clang that finds no linker, by its own words.
real=$(command -v clang-19 || command -v clang-20 || command -v clang-14 || command -v clang)
printf '%s\n' '#!/bin/sh' "case \"\$*\" in" "*print-prog-name*) echo ld.lld; exit 0 ;;" \
  "*.s\ -nogpulib*) echo 'unable to execute command: ld.lld' >&2; exit 1 ;;" 'esac' "exec '$real' \"\$@\"" >"$out/clang"
chmod +x "$out/clang"
what=$(GRADUS_HIP_CLANG=$out/clang XDG_CACHE_HOME=$out said)
if [[ $real && ($what != *'finds no linker (lld)'*'apt-get install lld-'* || $what != *'Time floors'*) ]]; then
  fail "without a linker: $what"
fi
echo "$passed builds with the VGPRs, LDS and scratch that they are to have, $failed not${unknown:+; not known to this clang:$unknown}"
((failed == 0 && passed > 0))
