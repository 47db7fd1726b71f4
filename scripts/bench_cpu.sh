#!/bin/sh
# bench_cpu.sh BUILD [PRESET] [LEVEL]: the CPU library beside every library found here, over the sizes, transposes, types
# and threads of a preset of `gradus bench`, and over random products; after the whole sweep also narrow types, the cost of a
# small call, and products beside a busy process. Prints the tables, and leaves them in BUILD/bench with JSON and pictures,
# where scripts/performance.sh finds them. LEVEL (avx2) holds the library and the peers to that instruction set.
# SPDX-License-Identifier: MIT
set -eu
build=$1
preset=${2:-sweep}
level=${3:-}
out=$build/bench
mkdir -p "$out"
load=$(awk '{ print $1 }' /proc/loadavg)
if awk -v load="$load" 'BEGIN { exit !(load > 0.5) }'; then
  echo "bench_cpu: other programs are running here (a load of $load): times are longer and intervals wider for it" >&2
fi
[ "$preset" = sweep ] && count=160 || count=24
if [ -n "$level" ]; then
  export GRADUS_ISA="$level"
  "$build/gradus" bench --preset "$preset" --report "$out/$preset-$level"
  "$build/gradus" bench --preset random --count "$count" --report "$out/random-$level"
  exit
fi
"$build/gradus" bench --preset "$preset" --report "$out/$preset"
"$build/gradus" bench --preset random --count "$count" --report "$out/random"
rounds=5 seconds=5
if [ "$preset" = sweep ]; then
  "$build/gradus" bench --preset narrow --report "$out/narrow"
else
  rounds=3 seconds=0.5
fi
for program in "small_calls" "busy_machine $seconds $rounds"; do
  name=${program%% *}
  # shellcheck disable=SC2086 # a program and its words
  "$build"/bin/bench_$program >"$out/$name.md"
  echo
  cat "$out/$name.md"
done
