#!/bin/sh
# masked.sh EDGES [SOAK]: runs every micro-kernel and product (edges.c), and random products (soak.c), with features masked
# away, so that each step of the dispatch runs on a CPU that has more. Of the CPU's steps none may be left out, and none
# above the mask may run.
# SPDX-License-Identifier: MIT
set -eu
edges=$1 soak=${2:-}
unset GRADUS_ISA GRADUS_CPU_MASK
[ "$(uname -m)" = x86_64 ] || {
    echo "skip: the masks are written for x86-64"
    exit 77
}
# level_with MASK: the level that multiplies. A micro-kernel that needs a masked feature must have been skipped.
level_with() {
    GRADUS_CPU_MASK=$1 "$edges" >"$out" || {
        cat "$out"
        echo "with GRADUS_CPU_MASK=$1"
        exit 1
    }
    sed -n 's/: products are right//p' "$out"
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
best=$(level_with '')
case $best in
avx512) steps='amx_tile,amx_int8:avx512 avx512_bf16,avx512_vnni:avx512 avx512f:avx2 avx512vl,junk:avx2 avx2:portable FMA:portable' ;;
avx2) steps='avx512f:avx2 avx_vnni:avx2 avx2:portable FMA:portable' ;;
*) steps='avx2:portable' ;;
esac
for step in $steps; do
    mask=${step%:*} wanted=${step#*:}
    got=$(level_with "$mask")
    [ "$got" = "$wanted" ] || {
        echo "GRADUS_CPU_MASK=$mask: found level $got, wanted $wanted"
        exit 1
    }
    above=amx
    [ "$wanted" = avx2 ] && above='avx512|amx'
    [ "$wanted" = portable ] && above='avx|amx'
    if grep -E "$above" "$out" | grep -q 'every edge'; then
        cat "$out"
        echo "GRADUS_CPU_MASK=$mask: a micro-kernel ran that is masked"
        exit 1
    fi
    echo "GRADUS_CPU_MASK=$mask: $got"
    if [ "$soak" ] && ! GRADUS_CPU_MASK=$mask "$soak" 100 >"$out"; then
        cat "$out"
        echo "with GRADUS_CPU_MASK=$mask"
        exit 1
    fi
done
# The library's own choice, beside the program's: GRADUS_ISA cannot bring back what the mask has taken.
got=$(GRADUS_CPU_MASK=avx2 GRADUS_ISA=avx512 "$edges" | sed -n 's/: products are right//p')
[ "$got" = portable ] || {
    echo "GRADUS_CPU_MASK=avx2 GRADUS_ISA=avx512: found level $got, wanted portable"
    exit 1
}
