#!/bin/sh
# tiles.sh LIBRARY.a: AMX's tiles are configured from a constant. GCC's intrinsic tells the compiler of 8 of its 64 bytes;
# of a variable, those written to the others were left out, which no CPU without AMX can show. SPDX-License-Identifier: MIT
set -eu
command -v objdump >/dev/null || { echo "skip: there is no objdump here (apt-get install binutils)"; exit 77; }
loads=$(objdump -d --no-show-raw-insn "$1" | grep ldtilecfg) || { echo "skip: this library has no AMX"; exit 77; }
if echo "$loads" | grep -v '(%rip)'; then
  echo "ldtilecfg reads what was written to memory before it: make the configuration a constant"
  exit 1
fi
