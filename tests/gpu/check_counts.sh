#!/usr/bin/env bash
# check_counts.sh [KERNEL|FILE.cu …] [-- OPTION …]: on a machine with an NVIDIA GPU and ncu: are the simulator's counts those of
# the hardware? A line for each launch: equal, or what differs. Without kernels: every rung of the ladder.
# SPDX-License-Identifier: MIT
#
#   check_counts.sh                                the ladder, in three to four minutes
#   TABLE=docs/counts.csv check_counts.sh          writes the table of docs/simulator.md; then
#                                                  scripts/counts.sh --page docs/simulator.md
#   check_counts.sh my.cu -- --block 32,32 --grid 'cdiv(N,32),cdiv(M,32)'
#
# Options go to `gradus explain` and to `gradus run` alike. Environment: GRADUS (build/gradus); SIZES ('256 512 300x500x260
# 1023'); FACTS ('--device cuda': whose figures the simulator takes); SIMULATED (a file of scripts/counts.sh for this GPU:
# nothing is simulated again, which keeps the GPU for less long); TABLE.
# Exit status: 0 all equal, 1 something differs, 3 nothing could be counted.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
GRADUS=$(realpath "${GRADUS:-$root/build/gradus}")
export GRADUS SIZES=${SIZES:-256 512 300x500x260 1023}
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-counts.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT

kernels=()
while (($# > 0)) && [[ $1 != -- ]]; do
  kernels+=("$1")
  shift
done
(($# == 0)) || shift
options=("$@")
if ((${#kernels[@]} == 0)); then
  mapfile -t kernels < <("$GRADUS" list --device cuda --format names)
fi

ncu=$(command -v ncu || ls -d /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)
if [[ -z $ncu ]]; then
  echo 'check-counts: no ncu (Nsight Compute) here: get it with: apt-get install nsight-compute'
  exit 3
fi

name_of() {
  local name=${1##*/}
  case $name in
  *.cu | *.cuh | *.hip) echo "${name%.*}" ;;
  *) echo "$name" ;;
  esac
}

# The simulator's side, of all kernels at once: it keeps the processor busy, not the GPU.
read -ra facts <<<"${FACTS:---device cuda}"
for i in "${!kernels[@]}"; do
  if [[ -n ${SIMULATED:-} ]]; then
    awk -F, -v name="$(name_of "${kernels[i]}")" 'NR == 1 || $1 == name' "$SIMULATED" >"$out/$i.csv"
  else
    "$root/scripts/counts.sh" "${kernels[i]}" -- "${facts[@]}" "${options[@]}" >"$out/$i.csv" &
  fi
done
wait

metrics=$(awk -F ' [|] ' '!/^#/ && $3 != "-" { gsub("[+]", ",", $3); print $3 }' "$root/scripts/counts.list" | paste -sd,)

# count KERNEL SIMULATED SIZE,…: one run of ncu. Of launches with one grid the last is the row's own: what a row begins with is
# smaller, and comes before it, because the largest size goes first.
count() {
  local kernel=$1 simulated=$2 sizes=$3 names words
  names=$(awk -F, 'NR > 1 && !seen[$3]++ { printf "%s%s", sep, $3; sep = "|" }' "$simulated")
  if [[ $(name_of "$kernel") != "$kernel" ]]; then words=(run "$kernel"); else words=(ladder --kernels "$kernel"); fi
  "$ncu" --csv --target-processes all --print-kernel-base function --kernel-name "regex:^($names)\$" --metrics "$metrics" \
    "$GRADUS" "${words[@]}" --device cuda --size "$sizes" --peer none --verify-only --shapes no --time-limit 600 \
    "${options[@]}" </dev/null >"$out/ncu" 2>&1
  if ! grep -q '"Metric Name"' "$out/ncu"; then
    echo "$kernel at $sizes: $(grep -m 1 -e ERR_ -e ==ERROR== -e '^gradus: ' "$out/ncu" || tail -n 1 "$out/ncu")"
  fi
  awk -f "$here/ncu_counts.awk" "$out/ncu" >"$out/counted"
  awk -F, -v sizes=",$sizes," 'NR == 1 || index(sizes, "," $2 ",")' "$simulated" >"$out/some.csv"
  awk -v table="$out/table" -v list="$root/scripts/counts.list" -f "$here/compare_counts.awk" "$out/counted" "$out/some.csv"
}

head -n 1 "$out/0.csv" >"$out/whole"
for i in "${!kernels[@]}"; do
  while read -r sizes; do
    count "${kernels[i]}" "$out/$i.csv" "$sizes"
    tail -n +2 "$out/table" >>"$out/whole"
  done < <(awk -F, -f "$here/batches.awk" "$out/$i.csv")
done | tee "$out/said"
if [[ -n ${TABLE:-} ]]; then
  cp "$out/whole" "$TABLE"
fi
equal=$(grep -c ': equal' "$out/said") differ=$(grep -c ': DIFFERS' "$out/said")
uncounted=$(grep -c ': not counted' "$out/said")
echo "check-counts: $equal launches equal, $differ differ, $uncounted not counted"
((equal + differ > 0)) || exit 3
((differ + uncounted == 0))
