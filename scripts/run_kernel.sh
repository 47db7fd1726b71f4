#!/usr/bin/env bash
# run_kernel.sh GRADUS FILE [OPTION…]: `make run`: `gradus run` on the device that is here: an AMD GPU or an NVIDIA GPU, and where there is
# neither, the simulator, of AMD's GPUs for a file with HIP. SPDX-License-Identifier: MIT
set -u
gradus=$1 file=$2
shift 2
works() {
  "$gradus" ladder --device "$1" --kernels 1 --size 64 --verify-only --shapes no >/dev/null 2>&1
}
device=()
if [[ $file != *.c && " $* " != *' --device '* && " $* " != *' --device='* ]]; then
  simulated=sim
  if grep -q 'hip/hip_runtime\.h' "$file" 2>/dev/null; then
    simulated=sim:mi210
  fi
  device=(--device "$simulated")
  for real in cuda hip; do
    if [[ $real != hip || -e /dev/kfd ]] && works "$real"; then
      device=(--device "$real")
    fi
  done
fi
echo "$gradus run $file ${device[*]} $*"
exec "$gradus" run "$file" ${device[@]+"${device[@]}"} "$@"
