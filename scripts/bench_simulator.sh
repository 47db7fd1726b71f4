#!/usr/bin/env bash
# bench_simulator.sh BUILD [RUNG…]: how fast the engine that executes machine code is, for each rung of kernels/gpu: what a
# warp's instruction and a warp's access take, on one core; a whole grid of 1024^3, verified; `gradus explain` at 4096. Needs
# NVRTC. ROUNDS=5: how often each is run; medians, with the lower and upper quartile. SPDX-License-Identifier: MIT
set -euo pipefail
build=$(realpath "$1") rounds=${ROUNDS:-5} core=${CORE:-0}
shift
gradus=$build/gradus
cd "$(dirname "$0")/.."
files=(kernels/gpu/0[1-9]_*.cu kernels/gpu/1[0-3]_*.cu)
(($# == 0)) || files=("$@")
for file in "${files[@]}"; do
  "$gradus" explain "$(basename "$file" .cu)" --size 256 --engine code >/dev/null || exit 3 # in the cache from now on
done

# "MEDIAN [LOWER,UPPER]" of the numbers of standard input.
quartiles() {
  sort -g | awk '{ x[NR] = $1 } END { printf "%.2f [%.2f,%.2f]", x[int((NR + 1) / 2)], x[int((NR + 3) / 4)], x[NR + 1 - int((NR + 3) / 4)] }'
}

# The seconds that a command takes.
seconds() {
  local begun=$EPOCHREALTIME
  "$@" >/dev/null 2>&1 || { echo "bench_simulator: $* ends with status $?" >&2; return 1; }
  awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}

# From an explanation in JSON on one thread: nanoseconds of each access of the blocks that were traced, when ARITHMETIC
# nanoseconds of each other instruction are taken off.
access_ns() {
  python3 -c '
import json, sys
whole, arithmetic = json.load(sys.stdin), float(sys.argv[1])
def parts(e):
    return [x for x in e.get("launches") or [] if "executed" in x] or [e]
begins = ("LDG", "STG", "LDS", "STS", "ATOM", "RED")
e = max(parts(whole), key=lambda x: x["executed"]["executed"])
b = e["blocks"]
of_block = lambda n: n / b["total"] * b["traced"]
access = sum(o["executed"] for o in e["executed"]["opcodes"] if o["name"].startswith(begins))
print((b["time_ns"] - of_block(e["executed"]["executed"] - access) * arithmetic) / of_block(access))
' "$1"
}

echo "nanoseconds of processor time, one core, $rounds rounds: an instruction of a warp that does not access memory; an access that"
echo "nobody watches; an access with all observers. Then seconds: a whole grid of 1024^3 on one core, verified; explain at 4096"
printf '%-18s %-20s %-22s %-24s %-20s %s\n' rung instruction 'access, unwatched' 'access, all observers' '1024^3' 'explain 4096'
for file in "${files[@]}"; do
  rung=$(basename "$file" .cu)
  read -r _ _ a al ah _ w wl wh < <(taskset -c "$core" "$build/bin/measure_machine" 1024 "$file")
  watched=$(for ((i = 0; i < rounds; i++)); do
    GRADUS_NUM_THREADS=1 taskset -c "$core" "$gradus" explain "$rung" --size 2048 --engine code --format json | access_ns "$a"
  done | quartiles)
  grid=$(for ((i = 0; i < rounds; i++)); do
    seconds taskset -c "$core" "$gradus" ladder --kernels "$rung" --device sim --engine code --size 1024 --threads 1 --shapes no --verify-only
  done | quartiles)
  explained=$(for ((i = 0; i < rounds; i++)); do seconds "$gradus" explain "$rung" --size 4096 --engine code; done | quartiles)
  printf '%-18s %-20s %-22s %-24s %-20s %s\n' "$rung" "$a [$al,$ah]" "$w [$wl,$wh]" "$watched" "$grid" "$explained"
done
