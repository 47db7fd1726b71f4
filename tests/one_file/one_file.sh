#!/bin/sh
# one_file.sh SOURCE: copies the tree, adds the files of planted/, which each are all that something new needs, builds the
# program once, and shows that each was picked up. SPDX-License-Identifier: MIT
set -u
source=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-one-file.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
unset GRADUS_ISA GRADUS_PEERS
failed=0

mkdir "$work/tree"
(cd "$source" && tar -cf - --exclude='./build*' --exclude=./.git .) | tar -C "$work/tree" -xf - || exit 2
cp -r "$here/planted/." "$work/tree/"
rm -rf "$work/tree/tests"
cmake -S "$work/tree" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 >"$work/log" 2>&1 &&
  cmake --build "$work/build" --parallel 2 --target gradus >>"$work/log" 2>&1 ||
  { echo "the tree with one file more of each does not build:"; tail -n 30 "$work/log"; exit 1; }
gradus=$work/build/gradus

# shown WHAT PATTERN COMMAND…: the command's output has a line like the pattern.
shown() {
  what=$1 pattern=$2
  shift 2
  "$@" >"$work/out" 2>&1 </dev/null
  grep -Eq "$pattern" "$work/out" && return
  echo "$what is not picked up: '$*' has no line like '$pattern':"
  head -n 12 "$work/out"
  failed=1
}

planted=$work/tree/kernels/gpu/92_planted.cu
shown "a rung" '91_planted' "$gradus" list
shown "a rung, in the ladder" '91_planted.* right' "$gradus" ladder --kernels 91 --size 32 --peer none
shown "a rung of the GPU" '92_planted' "$gradus" list --device sim
shown "a micro-kernel" 'ukr_f32_2x8_portable' nm "$gradus"
shown "a micro-kernel, in its table" 'ukr_f32_2x8_portable' cat "$work"/build/registry/*/gr_ukr_all.c
shown "operand types" 's32 s32 s32 s32' "$gradus" planted
shown "a verb" 'planted +a verb that was planted' "$gradus" help
shown "a format" '^planted: 1 rows' "$gradus" ladder --kernels 91 --size 32 --peer none --format planted
shown "a format, for explanations" '^planted: 1 kernels' "$gradus" explain 92 --size 64 --simulate no --format planted
shown "a peer" 'planted' "$gradus" devices
shown "a backend" 'no device is planted at planted:3' "$gradus" ladder --device planted:3
shown "a backend, in the help" 'planted\[:N\]' "$gradus" help ladder
shown "a device" 'NVIDIA Planted' "$gradus" explain 92 --size 64 --gpu planted --simulate no
if [ "$(uname -m)" = x86_64 ]; then
  sed 's/^\/\/@ type.*/&\n\/\/@ isa      planted/' "$work/tree/kernels/cpu/91_planted.c" >"$work/93_wants.c"
  shown "an instruction set" 'planted' "$gradus" show "$work/93_wants.c"
  shown "an instruction set, in its table" 'gr_isa_planted' cat "$work"/build/registry/gr_isa_all.c
fi
if command -v g++ >/dev/null 2>&1; then
  shown "a header for the simulator" '92_planted.* right' "$gradus" run "$planted" --device sim --size 32
  shown "an observer" 'the planted observer has seen it' "$gradus" explain "$planted" --size 32
  shown "an analysis" 'This section was planted' "$gradus" explain "$planted" --size 32
  shown "a rule of advice" 'this finding was planted' "$gradus" explain "$planted" --size 32
  shown "a kind of finding" '"kind": "planted-kind", "severity": "note"' "$gradus" explain "$planted" --size 32 --format json
else
  echo "skip: what the simulator picks up: g++ is missing (apt-get install g++)"
fi
exit $failed
