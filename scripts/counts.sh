#!/usr/bin/env bash
# counts.sh [KERNEL|FILE.cu …] [-- OPTION …]: what the simulator counts of each kernel at each size, as CSV: a line for each
# launch. Without kernels: every rung of the GPU's ladder. Options go to `gradus explain`. SPDX-License-Identifier: MIT
#
#   counts.sh >docs/counts.csv            the data of docs/simulator.md; needs no GPU
#   counts.sh --page docs/simulator.md    writes the table of that page, which summarizes docs/counts.csv
#   counts.sh --page docs/third-party.md docs/third-party.csv
#   SIZES='512 100x200x300' counts.sh my.cu -- --block 16,16 --grid 'cdiv(N,16),cdiv(M,16)'
#
# `gradus` is build/gradus, or $GRADUS. Every block is traced. tests/gpu/check_counts.sh adds
# the columns of ncu. A launch that could not be simulated is reported on standard error and makes the exit status 1.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gradus=${GRADUS:-$here/../build/gradus}
sizes=${SIZES:-256 512 300x500x260 1023}

if [[ ${1:-} == --page ]]; then
  new=$(mktemp) || exit 2
  awk -v list="$here/counts.list" -f "$here/counts_page.awk" "${3:-$here/../docs/counts.csv}" "$2" >"$new" && cat "$new" >"$2"
  code=$?
  rm -f "$new"
  exit $code
fi

kernels=()
while (($# > 0)) && [[ $1 != -- ]]; do
  kernels+=("$1")
  shift
done
(($# == 0)) || shift
ladder=0
if ((${#kernels[@]} == 0)); then
  ladder=1
  mapfile -t kernels < <("$gradus" list --device cuda --format names)
fi

out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-counts.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
failed=0
awk -F ' [|] ' '!/^#/ { ours = ours "," $1; if ($3 != "-") theirs = theirs ",ncu_" $1 }
  END { print "kernel,size,launch,blocks,arch,coverage,widths" ours theirs }' "$here/counts.list"
for kernel in "${kernels[@]}"; do
  for size in $sizes; do
    "$gradus" explain "$kernel" --size "$size" --all-blocks --format json "$@" >"$out/json" 2>"$out/said" </dev/null
    code=$?
    if ((ladder)) && grep -q -e '"skip": "needs ' "$out/json"; then
      break # a rung for another vendor's GPU
    fi
    if ((code > 1)) || ! awk -f "$here/../tests/sim/flatten.awk" "$out/json" >"$out/flat" 2>>"$out/said" ||
      ! awk -v size="$size" -v list="$here/counts.list" -f "$here/counts_row.awk" "$out/flat" 2>>"$out/said"; then
      echo "counts: $kernel at $size: $(head -n 1 "$out/said")" >&2
      failed=1
    fi
  done
done
exit $failed
