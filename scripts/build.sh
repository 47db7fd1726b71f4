#!/usr/bin/env bash
# build.sh PRESET [-DNAME=VALUE…]: configures and builds one of CMakePresets.json. SPDX-License-Identifier: MIT
set -euo pipefail
preset=$1
shift
unset MAKEFLAGS MFLAGS MAKELEVEL # a `make -n` or a jobserver of the caller is not the build's
jobs=$(nproc 2>/dev/null || echo 2)
folder=build
[[ $preset == release || $preset == strict ]] || folder=build-$preset

echo "build: $folder with $jobs jobs"
if cmake --list-presets >/dev/null 2>&1; then
  cmake --preset "$preset" "$@" >/dev/null
elif [[ $preset == release ]]; then # presets came with CMake 3.21
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@" >/dev/null
else
  echo "build: the preset '$preset' needs CMake 3.21, found $(cmake --version | head -n 1)" >&2
  exit 1
fi
cmake --build "$folder" --parallel "$jobs"
