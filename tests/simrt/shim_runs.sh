#!/bin/sh
# shim_runs.sh SHIM_SOURCES FOLDER TESTS: what the shim's functions do, in each standard of C++, traced and fast; and that each
# access is told of at a line of the kernel's own file. FOLDER is emptied. SPDX-License-Identifier: MIT
set -u
sources=$1 out=$2 tests=$3
cxx=${CXX:-g++}
command -v "$cxx" >/dev/null 2>&1 || { echo "skip: no $cxx (apt-get install g++)"; exit 77; }
rm -rf "$out" && mkdir -p "$out" || exit 1
"$sources" "$out" >"$out/said" || { cat "$out/said"; exit 1; }
failed=0
traced="-O2 -g -fsanitize=thread --param tsan-instrument-func-entry-exit=0 -fno-tree-sra -fno-ipa-sra
  -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-extern-tls-init -fPIC
  -fno-optimize-sibling-calls"
fast="-O3 -march=native"
"$cxx" -std=c++17 -O1 -c "$tests/one_block.cpp" -o "$out/one_block.o" || exit 1

# The lines of all sites are the kernel's, and not a header's.
placed() {
  command -v addr2line >/dev/null 2>&1 || return
  [ -s "$out/sites" ] || { echo "FAIL $1: no access was told of" && failed=1; }
  addr2line -e "$out/program" <"$out/sites" | grep -v "/$1:[1-9]" | sort | uniq -c >"$out/elsewhere"
  [ -s "$out/elsewhere" ] || return
  echo "FAIL $1: accesses told of elsewhere:" && head -n 5 "$out/elsewhere"
  failed=1
}
# ran NAME FLAG...: compiles and runs a test.
ran() {
  name=$1
  shift
  case $name in shim_hip) set -- "$@" -DGRADUS_WARP_SIZE=64 ;; esac
  if ! "$cxx" "$@" -w -I"$out/include" -I"$tests" -include gr_cuda.h -x c++ -c "$tests/$name.cu" -o "$out/$name.o" \
    >"$out/log" 2>&1 || ! "$cxx" -no-pie "$out/$name.o" "$out/one_block.o" -o "$out/program" >"$out/log" 2>&1; then
    echo "FAIL $name: $cxx $*" && head -n 20 "$out/log"
    failed=1
    return
  fi
  if ! ONE_BLOCK_SITES="$out/sites" "$out/program" >"$out/log" 2>&1; then
    echo "FAIL $name ran wrong: $cxx $*" && head -n 20 "$out/log"
    failed=1
  fi
  case $* in *thread*) placed "$name.cu" ;; esac
}
for test in shim_words shim_warp shim_narrow shim_groups shim_hip; do
  for std in c++14 c++17 c++20; do
    # shellcheck disable=SC2086 # flags are words
    ran $test -std=$std $traced
  done
  # shellcheck disable=SC2086
  ran $test -std=c++17 $fast
done
# AMD's matrix instructions, for each architecture and size of a wave.
for arch in 908:64 90a:64 942:64 950:64 1100:32 1100:64 1201:32 1201:64; do
  for flags in "$traced" "$fast"; do
    # shellcheck disable=SC2086
    ran shim_matrix -std=c++17 $flags -DGRADUS_GFX=0x${arch%:*} -DGRADUS_WARP_SIZE=${arch#*:}
  done
done
exit $failed
