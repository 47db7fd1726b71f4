#!/bin/sh
# emulated.sh CPU LEVEL COMMAND…: runs commands of this build (a program and its arguments, one word of ours) on an older
# x86-64, emulated. edges.c must find that LEVEL is the best there, and no program may execute what the CPU does not have:
# the emulator ends it with SIGILL.
# SPDX-License-Identifier: MIT
set -eu
cpu=$1 level=$2
shift 2
[ "$(uname -m)" = x86_64 ] || {
    echo "skip: this build is not for x86-64"
    exit 77
}
emulator=$(command -v qemu-x86_64-static || command -v qemu-x86_64) || {
    echo "skip: no emulator for x86-64 (apt-get install qemu-user-static)"
    exit 77
}
unset GRADUS_ISA GRADUS_CPU_MASK
# A masked load (vmaskmov) reads the whole vector in the emulator, and the masked-out lanes may lie in a page that faults.
[ "$level" = portable ] || export GRADUS_TEST_UNGUARDED=1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for program in "$@"; do
    # The emulator warns of features of the CPU that it does not have itself.
    status=0
    # shellcheck disable=SC2086 # a program and its arguments
    "$emulator" -cpu "$cpu" $program >"$out" 2>&1 || status=$?
    grep -v "TCG doesn't" "$out" || true
    [ "$status" = 0 ] || {
        echo "$program on $cpu: exit status $status (132: an instruction that the CPU does not have)"
        exit 1
    }
    case $program in
    *edges)
        found=$(sed -n 's/: products are right//p' "$out")
        [ "$found" = "$level" ] || {
            echo "$program on $cpu: found level $found, wanted $level"
            exit 1
        }
        ;;
    esac
done
