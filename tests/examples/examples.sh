#!/bin/sh
# examples.sh INCLUDE LIBRARY CC: builds the programs of examples/ against the headers in INCLUDE and libgradus.so in the
# folder LIBRARY, runs them, and compares what they print with what their first comment says.
# SPDX-License-Identifier: MIT
set -u
include=$1 library=$2 cc=$3
examples=$(cd "$(dirname "$0")/../../examples" && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-examples.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
ran=0

# build SOURCE COMPILER…: to $work/program
build() {
  source=$1
  shift
  "$@" -O1 -Wall -Wextra -Wpedantic -Werror -I"$include" -o "$work/program" "$source" -L"$library" -lgradus
}

for source in "$examples"/*.c "$examples"/*.cpp; do
  case $source in
  *.hip.cpp) continue ;; # for hipcc; tests/gpu and docs/amd.md run it
  *.mpi.c) continue ;; # for mpicc; tests/dist runs it
  *.cpp)
    if ! command -v g++ >/dev/null 2>&1; then
      echo "skip: ${source##*/}: g++ is missing (apt-get install g++)"
      continue
    fi
    build "$source" g++ -std=c++11 ;;
  *) build "$source" "$cc" -std=c11 ;;
  esac || { echo "${source##*/} does not compile"; failed=1; continue; }
  sed -n 's,^\( \*\|//\)  > ,,p' "$source" >"$work/wanted"
  [ -s "$work/wanted" ] || { echo "${source##*/}: its first comment does not say what it prints"; failed=1; }
  LD_LIBRARY_PATH=$library "$work/program" >"$work/printed" || { echo "${source##*/} fails"; failed=1; }
  diff -u "$work/wanted" "$work/printed" || { echo "${source##*/} prints something else than its comment"; failed=1; }
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "no examples in $examples"; failed=1; }
exit $failed
