#!/usr/bin/env bash
# clean_rung_amd.sh GRADUS FILE.cu: a rung of the GPU's ladder in its first type, on AMD's GPUs with waves of 64 and of 32
# lanes, at a few of the shapes of clean.sh: nothing may be found, and the product must be right.
# SPDX-License-Identifier: MIT
set -u
gradus=$1 rung=$2
here=$(dirname "$0")
failed=0 skipped=0 tried=0 dtype=()
type=$(sed -n 's|^//@ type *\([a-z][a-z0-9]*\).*|\1|p' "$rung" | head -n 1) # of a rung of several types its own choice
[[ ! $type ]] || dtype=(--dtype "$type")

for device in sim:mi210 sim:rx7900xtx; do
  tried=$((tried + 1))
  run=$("$gradus" run "$rung" --device "$device" --size 130x70x34 "${dtype[@]}" --verify-only --shapes no --peer none 2>&1 </dev/null)
  code=$?
  if grep -q -E '  skip: needs ' <<<"$run"; then
    skipped=$((skipped + 1))
    continue
  fi
  ((code == 0)) || { echo "FAIL $device: $run"; failed=$((failed + 1)); }
  said=$(DEVICE=$device SHAPES="65x63x66 128 300x1x9" "$here/clean.sh" "$gradus" "$(basename "$rung" .cu)" "${dtype[@]}" --trans nn)
  code=$?
  echo "$device: ${said//$'\n'/$'\n  '}"
  ((code != 77)) || skipped=$((skipped + 1))
  ((code == 0 || code == 77)) || failed=$((failed + 1))
done
if ((skipped == tried)); then
  echo "skip: it is not for AMD's GPUs, or could not be simulated"
  exit 77
fi
((failed == 0))
