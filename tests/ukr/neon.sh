#!/bin/sh
# neon.sh SOURCE_DIR BUILD_DIR REGISTRY: builds the library's floors and edges.c for AArch64 and runs them under qemu, with
# the tables that cmake wrote into REGISTRY.
# SPDX-License-Identifier: MIT
set -eu
source=$1 build=$2 registry=$3
compiler=${GRADUS_AARCH64_CC:-aarch64-linux-gnu-gcc}
skip() {
    echo "skip: $1"
    exit 77
}
command -v "$compiler" >/dev/null || skip "no compiler for AArch64 (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "no emulator for AArch64 (apt-get install qemu-user-static)"
mkdir -p "$build"

# -O1: every edge is code of its own, and better code would take minutes to make.
set -- -std=gnu11 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -D_GNU_SOURCE -pthread -I"$source/include" -I"$source/src" \
    -I"$source/kernels/cpu" -I"$source/tests"
rm -rf "$build/objects"
mkdir "$build/objects"
(
    cd "$build/objects"
    # No GPU is emulated.
    cat >no_device.c <<'C'
#include "device/device_product.h"
#include "device/device_staged.h"
enum gradus_status gr_device_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    (void)gemm, (void)error;
    return GRADUS_UNSUPPORTED;
}
int64_t gr_device_workspace(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    (void)gemm, (void)error;
    return -1;
}
C
    # All of the floor but what belongs to another processor's instruction sets.
    others=$(grep -l '^//@ cpu  *x86_64' "$source"/src/cpu/isa_*.c | sed 's/.*isa_\(.*\)\.c/_\1.c/')
    files=$(ls "$source"/src/cpu/*.c)
    for other in $others; do files=$(echo "$files" | grep -v "$other\$"); done
    # shellcheck disable=SC2086 # a list of files
    "$compiler" "$@" -c "$registry"/aarch64/*.c "$registry/gr_driver_all.c" no_device.c "$source"/src/base/*.c "$source"/src/core/*.c \
        $files "$source"/src/blas/*.c "$source"/kernels/cpu/ukr_*_neon.c "$source"/kernels/cpu/ukr_*_portable.c
)
"$compiler" "$@" -static -o "$build/edges" "$source"/tests/ukr/edges*.c "$build"/objects/*.o -lm
"$compiler" "$@" -static -o "$build/soak" "@$source/tests/soak/soak_ways.wrap" -Wl,--wrap=gr_cpu_threads_capped \
    "$source"/tests/soak/soak*.c "$source"/tests/soak/guarded.c "$source"/tests/many_threads.c \
    "$source"/src/measure/random_sizes.c "$build"/objects/*.o -lm
"$emulator" -cpu cortex-a72 "$build/edges"
# As many as go every way through the library (soak_ways.c), and it fails where one was not gone.
"$emulator" -cpu cortex-a72 "$build/soak" 400 --whole 300000
