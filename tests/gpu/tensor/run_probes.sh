#!/usr/bin/env bash
# run_probes.sh FOLDER [PART]: builds and runs the probes of tensor cores on a machine with a Hopper GPU and nvcc; the results
# (tiles.bin.gz, maps.bin.gz, async.bin.gz, others.bin.gz; 9 MB) go to FOLDER. A minute or two. With PART only the kinds of tiles
# whose names have it ("tiny"; "none": none), and no maps of descriptors; the copies and mbarriers alone take less than a minute.
# SPDX-License-Identifier: MIT
set -eu
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-tensor.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 make_kernels.py >"$work/kernels.inc"
for probe in probe_tiles probe_async; do
  nvcc -gencode arch=compute_90a,code=sm_90a -O1 -I"$work" -o "$work/$probe" $probe.cu &
done
wait
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
status=0
for probe in probe_tiles probe_async; do
  timeout 200 "$work/$probe" "$out" "${@:2}" || { echo "$probe failed"; status=1; }
done
gzip -f "$out"/*.bin || status=1
ls -l "$out"
exit $status
