#!/bin/sh
# speed.sh GRADUS MEASURE_SIMULATION [SIZE…]: how long the simulator's fast mode takes beside the same loops written out,
# by the same compiler with the same flags, on one core. A benchmark, not a test. SPDX-License-Identifier: MIT
set -eu
gradus=$1 measure=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
rungs=$here/../../../kernels/gpu
for number in 01 04 07; do # what is not right has no speed
  "$gradus" run "$here/plain_$number.cu" --device sim --size 100x70x50 >/dev/null || {
    echo "plain_$number.cu is not right"
    exit 1
  }
done
[ $# -gt 0 ] || set -- 256 512 1024
for size; do
  echo "$size^3, one core"
  taskset -c 0 "$measure" "$size" "$rungs"/01_naive.cu "$here"/plain_01.cu "$rungs"/04_shared_1d.cu "$here"/plain_04.cu \
    "$rungs"/07_tile2d.cu "$here"/plain_07.cu
done
