#!/usr/bin/env bash
# build.sh PRESET [TARGET…] [-DNAME=VALUE…]: configures one of CMakePresets.json and builds it, or the named targets of
# it. SPDX-License-Identifier: MIT
set -euo pipefail
preset=$1
shift
targets=() options=()
for word; do
  case $word in
  -D*) options+=("$word") ;;
  *) targets+=("$word") ;;
  esac
done
unset MAKEFLAGS MFLAGS MAKELEVEL # a `make -n` or a jobserver of the caller is not the build's
jobs=$(nproc 2>/dev/null || echo 2)
folder=build
[[ $preset == release || $preset == strict ]] || folder=build-$preset

echo "build: $folder with $jobs jobs"
if cmake --list-presets >/dev/null 2>&1; then
  cmake --preset "$preset" "${options[@]}" >/dev/null
elif [[ $preset == release ]]; then # presets came with CMake 3.21
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "${options[@]}" >/dev/null
else
  echo "build: the preset '$preset' needs CMake 3.21, found $(cmake --version | head -n 1)" >&2
  exit 1
fi
cmake --build "$folder" --parallel "$jobs" ${targets:+--target "${targets[@]}"}
