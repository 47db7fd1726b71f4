#!/bin/sh
# bench_cpu.sh BUILD [PRESET] [LEVEL]: the CPU library beside every library found here, over the sizes, transposes, types
# and threads of a preset of `gradus bench`. Prints the tables and what they come to, and leaves them with JSON and
# pictures in BUILD/bench. LEVEL (avx2) holds the library and the peers to that instruction set.
# SPDX-License-Identifier: MIT
set -eu
build=$1
preset=${2:-sweep}
level=${3:-}
busy=$(awk '{ print $1 }' /proc/loadavg)
if awk -v load="$busy" 'BEGIN { exit !(load > 0.5) }'; then
  echo "bench_cpu: other programs are running here (a load of $busy): times will be longer and intervals wider" >&2
fi
if [ -n "$level" ]; then
  GRADUS_ISA=$level
  export GRADUS_ISA
fi
"$build/gradus" bench --preset "$preset" --report "$build/bench/$preset${level:+-$level}"
