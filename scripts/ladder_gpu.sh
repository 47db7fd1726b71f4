#!/bin/sh
# ladder_gpu.sh GRADUS: the end of `make ladder` on a machine without a GPU: the GPU's rungs, verified and counted by the
# simulator. Where there is a GPU, it says how to climb there. SPDX-License-Identifier: MIT
set -u
gradus=$1
if "$gradus" ladder --device cuda --kernels 1 --size 64 --verify-only --shapes no >/dev/null 2>&1; then
  echo "There is a GPU: climb its ladder by $gradus ladder --device cuda"
  exit 0
fi
echo
echo "The GPU's ladder. There is no GPU that can be used here, so it is simulated: verified and counted, never timed."
echo
"$gradus" ladder --device sim --size 256
code=$?
[ $code = 3 ] && exit 0 # no C++ compiler; the rows say so
[ $code = 0 ] && echo "Why a rung has these counts, line by line: $gradus explain 7 --size 256"
exit $code
