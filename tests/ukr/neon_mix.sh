#!/bin/sh
# neon_mix.sh SOURCE_DIR BUILD_DIR FLAG…: compiles NEON's micro-kernels with the build's FLAGs and reads the machine code of
# a step of k of the full tile: one FMA for each vector of the tile, no more loads than the panels ask for, and neither
# a store nor the stack, that is, no sum is spilled. No speed can be measured in an emulator; this can.
# SPDX-License-Identifier: MIT
set -eu
source=$1 build=$2
shift 2
compiler=${GRADUS_AARCH64_CC:-aarch64-linux-gnu-gcc}
objdump=${GRADUS_AARCH64_OBJDUMP:-aarch64-linux-gnu-objdump}
for tool in "$compiler" "$objdump"; do
    command -v "$tool" >/dev/null || {
        echo "skip: no $tool (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
        exit 77
    }
done
"$compiler" --version | grep -qi clang && {
    echo "skip: $compiler is clang; the flags that keep sums in registers are GCC's"
    exit 77
}
mkdir -p "$build"

# One line for each innermost loop of the function `packed_ahead`: FMAs, FMAs by element, loads, stores, uses of the stack.
# A pair of registers is two loads.
loops() {
    "$objdump" -d --no-show-raw-insn "$1" | awk -F '\t' '
    /^[0-9a-f]+ <.*>:$/ { inside = /<packed_ahead>/; n = last = 0; split("", at) }
    inside && /^ +[0-9a-f]+:\t/ {
      address = $1; gsub(/[ :]/, "", address)
      at[address] = ++n; op[n] = $2; arg[n] = $3
      if (op[n] !~ /^(b[.]|cbn?z|tbn?z)/) next
      target = $3; sub(/ <.*/, "", target); sub(/.*, */, "", target)
      if (!(target in at) || at[target] <= last) next
      fma = element = load = store = stack = 0
      for (i = at[target]; i <= n; i++) {
        if (op[i] == "fmla") { fma++; element += arg[i] ~ /\[[0-9]+\]$/ }
        if (op[i] ~ /^ld/) load += op[i] == "ldp" ? 2 : 1
        store += op[i] ~ /^st/
        stack += arg[i] ~ /\[sp/
      }
      last = n
      print fma, element, load, store, stack
    }'
}

failed=0
for file in "$source"/kernels/cpu/ukr_*_neon.c; do
    name=$(basename "$file" .c)
    "$compiler" -std=gnu11 -O3 -Wall -Wextra "$@" -D_GNU_SOURCE -I"$source/kernels/cpu" -c -o "$build/$name.o" "$file" &
done
wait
for file in "$source"/kernels/cpu/ukr_*_neon.c; do
    name=$(basename "$file" .c)
    [ -e "$build/$name.o" ] || exit 1
    # "f32_8x12" is 8 rows of 12 floats, three vectors.
    shape=$(echo "$name" | sed 's/^ukr_f\([0-9]*\)_\([0-9]*\)x\([0-9]*\)_neon$/\1 \2 \3/')
    [ "$shape" != "$name" ] || continue
    # shellcheck disable=SC2086 # three words
    set -- $shape
    vectors=$(($3 * $1 / 128))
    loops "$build/$name.o" | sort -u | awk -v name="$name" -v rows="$2" -v vectors="$vectors" '
      $1 == rows * vectors {
        seen = 1
        if (!best || $4 + $5 < least) { best = $0; least = $4 + $5 }
      }
      END {
        if (!seen) { print name ": no loop of " rows * vectors " FMAs found"; exit 1 }
        split(best, b, " ")
        printf "%s: %d FMAs (%d by element), %d loads, %d stores, %d uses of the stack a step of k\n", name, b[1], b[2],
          b[3], b[4], b[5]
        if (b[3] > rows + vectors || b[4] || b[5]) {
          print name ": wanted at most " rows + vectors " loads, no store and no use of the stack"
          exit 1
        }
      }' || failed=1
done
rm -f "$build"/ukr_*_neon.o
exit $failed
