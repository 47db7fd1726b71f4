#!/usr/bin/env bash
# cut_along_k.sh GRADUS: rung 12 at shapes whose sums are cut along K into more parts than divide it evenly, on devices of
# several sizes: no part may be empty, and each result is right. SPDX-License-Identifier: MIT
set -u
gradus=$1 failed=0
for tried in h200:64x64x65536 a100:64x64x27664 a100:128x256x20000 h100:64x64x4112 rtx3090:300x200x5000; do
  said=$("$gradus" ladder --kernels 12 --device "sim:${tried%%:*}" --size "${tried#*:}" --verify-only --shapes no 2>&1)
  code=$?
  if ((code == 3)); then
    echo "skip: $said"
    exit 77
  fi
  if ((code != 0)); then
    echo "$tried: status $code: $said"
    failed=$((failed + 1))
  fi
done
((failed == 0))
