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
# needs ISA: the features that a micro-kernel of this instruction set needs, as the last word of its name has it.
needs() {
    avx2='avx fma avx2' avx512='avx512f avx512dq avx512bw avx512vl'
    case $1 in
    portable) ;;
    avx2) echo "$avx2" ;;
    avxvnni) echo "$avx2 avxvnni" ;;
    avx512) echo "$avx2 $avx512" ;;
    avx512vnni | avx512bf16) echo "$avx2 $avx512 $1" ;;
    amxint8 | amxbf16) echo "$avx2 $avx512 amxtile $1" ;;
    *) return 1 ;;
    esac
}
# none_masked MASK: whether no micro-kernel has run that needs a feature of the mask.
none_masked() {
    masked=$(echo "$1" | tr 'A-Z,' 'a-z ' | tr -d _)
    ran=$(sed -n 's/: every edge is right$//p' "$out")
    for name in $ran; do
        needed=$(needs "${name##*_}") || {
            echo "$name: this test does not know what it needs"
            return 1
        }
        for feature in $masked; do
            case " $needed " in
            *" $feature "*)
                echo "GRADUS_CPU_MASK=$1: $name ran, which needs $feature"
                return 1
                ;;
            esac
        done
    done
}
# level_with MASK: the level that multiplies.
level_with() {
    GRADUS_CPU_MASK=$1 "$edges" >"$out" || {
        cat "$out"
        echo "with GRADUS_CPU_MASK=$1"
        exit 1
    }
    sed -n 's/: products are right//p' "$out"
}
# kernels_of LEVEL: what multiplied, in one word. Products by the same micro-kernels are random products seen before, without
# a mask by soak.thousand.
kernels_of() {
    echo "$1:$(sed -n 's/: every edge is right$//p' "$out" | tr '\n' ',')"
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
best=$(level_with '')
multiplied=" $(kernels_of "$best") "
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
    none_masked "$mask" || exit 1
    echo "GRADUS_CPU_MASK=$mask: $got"
    kernels=$(kernels_of "$got")
    case $multiplied in *" $kernels "*) continue ;; esac
    multiplied="$multiplied$kernels "
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
