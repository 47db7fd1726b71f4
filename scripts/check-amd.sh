#!/usr/bin/env bash
# check-amd.sh [REPORT]: on a machine with an AMD GPU, checks everything that Gradus does there and writes what came of it to REPORT
# (gradus-amd-report.txt), to be sent to the project. SPDX-License-Identifier: MIT
#
#   scripts/check-amd.sh
#
# It takes some minutes, installs nothing and changes no settings. Environment: GRADUS (build/gradus), DEVICE (hip), SIZES (256 1000
# 2048). Exit status: 0 all right; 1 something is wrong or missing, the report says what; 77 there is no AMD GPU; 2 no gradus.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
report=${1:-gradus-amd-report.txt} gradus=${GRADUS:-build/gradus} device=${DEVICE:-hip}
read -ra sizes <<<"${SIZES:-256 1000 2048}"
if [[ ! -e ${KFD:-/dev/kfd} ]]; then
  echo "skip: no AMD GPU here: ${KFD:-/dev/kfd} is missing (its driver is amdgpu, which Linux has)"
  exit 77
fi
if ! "$gradus" version >/dev/null 2>&1; then
  echo "check-amd.sh: $gradus does not run: make build"
  exit 2
fi
right=0 wrong=()

# step NAME COMMAND…: runs the command and adds its output to the report.
step() {
  local name=$1 code
  shift
  printf '\n== %s\n$ %s\n' "$name" "$*"
  timeout 1200 "$@" 2>&1 </dev/null
  code=$?
  echo "== $name: exit status $code"
  if ((code == 0)); then
    right=$((right + 1))
  else
    wrong+=("$name")
  fi
}

machine() {
  uname -srm
  cat /opt/rocm/.info/version 2>/dev/null || echo "no ROCm in /opt/rocm"
  ls -l "${KFD:-/dev/kfd}"
  command -v rocminfo >/dev/null && rocminfo | grep -E 'Marketing Name|^ *Name: *gfx|Wavefront Size|Compute Unit' | sort | uniq -c
  "$gradus" version
}

options=()
for size in "${sizes[@]}"; do
  options+=(--size "$size")
done
{
  machine
  step "devices" "$gradus" devices
  step "every rung is right" "$gradus" ladder --device "$device" --size 256 --verify-only
  step "ladder" "$gradus" ladder --device "$device" "${options[@]}" --shapes no
  for type in f32 f64; do
    step "a kernel in HIP, $type" "$gradus" run examples/tiled_gemm.hip.cpp --device "$device" --dtype "$type" "${options[@]}"
  done
  if command -v rocprofv3 >/dev/null || compgen -G "${ROCM_PATH:-/opt/rocm*}/bin/rocprofv3" >/dev/null; then
    step "counters" "$gradus" explain examples/tiled_gemm.hip.cpp 1024 --device "$device" --counters
  else
    printf '\n== counters: not read, rocprofv3 is missing (apt-get install rocprofiler-sdk)\n'
  fi
  printf '\n== %d steps right, %d wrong%s\n' "$right" "${#wrong[@]}" "${wrong[*]:+: $(IFS=,; echo "${wrong[*]}")}"
} >"$report"
tail -n 1 "$report"
echo "The report is in $report. Please send it: open an issue of the project and attach the file."
((${#wrong[@]} == 0))
