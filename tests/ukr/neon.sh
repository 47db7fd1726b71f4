#!/bin/sh
# neon.sh SOURCE_DIR BUILD_DIR: builds the library's floors and edges.c for AArch64 and runs them under qemu.
# SPDX-License-Identifier: MIT
set -eu
source=$1 build=$2
compiler=${GRADUS_AARCH64_CC:-aarch64-linux-gnu-gcc}
skip() {
    echo "skip: $1"
    exit 77
}
command -v "$compiler" >/dev/null || skip "no compiler for AArch64 (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "no emulator for AArch64 (apt-get install qemu-user-static)"
mkdir -p "$build"

# The table that cmake/ukr.cmake writes, for this machine's ISAs.
{
    echo '#include "cpu/ukr_table.h"'
    names=$(cd "$source/kernels/cpu" && ls ukr_*_neon.c ukr_*_portable.c | sed 's/\.c$//')
    for name in $names; do echo "extern const struct ukr $name;"; done
    echo 'const struct ukr *const gr_ukr_all[] = {'
    for name in $names; do echo "    &$name,"; done
    echo '    0,
};'
} >"$build/ukr_all.c"

# And the one of drivers, which cmake/floors.cmake writes.
{
    echo '#include "cpu/gemm.h"'
    names=$(cd "$source/src/cpu" && ls driver_*.c | sed 's/\.c$//')
    for name in $names; do echo "extern const struct gr_driver gr_$name;"; done
    echo 'const struct gr_driver *const gr_driver_all[] = {'
    for name in $names; do echo "    &gr_$name,"; done
    echo '    0,
};'
} >"$build/driver_all.c"

# -O1: every edge is code of its own, and better code would take minutes to make.
set -- -std=gnu11 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -D_GNU_SOURCE -pthread -I"$source/include" -I"$source/src" \
    -I"$source/kernels/cpu" -I"$source/tests"
rm -rf "$build/objects"
mkdir "$build/objects"
(
    cd "$build/objects"
    "$compiler" "$@" -c "$build/ukr_all.c" "$build/driver_all.c" "$source"/src/base/*.c "$source"/src/core/*.c \
        "$source"/src/cpu/*.c "$source"/src/blas/*.c "$source"/kernels/cpu/ukr_*_neon.c "$source"/kernels/cpu/ukr_*_portable.c
)
"$compiler" "$@" -static -o "$build/edges" "$source"/tests/ukr/edges*.c "$build"/objects/*.o -lm
"$compiler" "$@" -static -o "$build/soak" "@$source/tests/soak/soak_ways.wrap" -Wl,--wrap=gr_cpu_threads_capped \
    "$source"/tests/soak/soak*.c "$source"/tests/soak/guarded.c "$source"/tests/many_threads.c "$build"/objects/*.o -lm
"$emulator" -cpu cortex-a72 "$build/edges"
# As many as go every way through the library (soak_ways.c), and it fails where one was not gone.
"$emulator" -cpu cortex-a72 "$build/soak" 400
