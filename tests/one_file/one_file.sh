#!/bin/sh
# one_file.sh SOURCE GRADUS: copies the tree, adds the files of planted/, one for each row of the table in CONTRIBUTING.md,
# builds the copy once, and shows by what its commands print that each file was picked up. The same is looked for in what
# GRADUS prints, the program without them, which must not have it. SPDX-License-Identifier: MIT
set -u
source=$1 unplanted=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-one-file.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
unset GRADUS_ISA GRADUS_PEERS
tree=$work/tree build=$work/tree/build failed=0

# rows TABLE: the file names in the second column of CONTRIBUTING.md's table as patterns of the shell, a line each.
rows() {
  awk -F'|' '/^\| to add /,/^$/ { if (split($3, part, "`") > 1 && $3 !~ /^-/) print part[2] }' "$1" |
    sed -e 's/<[^>]*>/*/g' -e 's/NN_name/[0-9][0-9]_*/' -e 's/NAME/*/'
}

# unlike TABLE: the rows of the table without a planted file, and the planted files without a row.
unlike() {
  rows "$1" >"$work/rows"
  [ -s "$work/rows" ] || echo "$1 has no table of what is one file"
  (cd "$here/planted" && find . -type f | sed 's|^\./||' | sort) >"$work/files"
  while read -r row; do
    found=
    while read -r file; do
      # shellcheck disable=SC2254 # the row is a pattern
      case $file in $row) found=yes && echo "$file" >>"$work/files.found" ;; esac
    done <"$work/files"
    [ "$found" ] || echo "no file is planted for the row '$row' of CONTRIBUTING.md"
  done <"$work/rows"
  sort -u "$work/files.found" | comm -23 "$work/files" - | sed 's/$/ is planted, and is no row of CONTRIBUTING.md/'
  rm -f "$work/files.found"
}

unlike "$source/CONTRIBUTING.md" >"$work/unlike"
if [ -s "$work/unlike" ]; then
  cat "$work/unlike"
  exit 1
fi
# This comparison can fail: a row more is noticed, and a row less.
sed 's/^| a rung |/| a thing | `src\/things\/thing_<name>.c` | nothing |\n&/' "$source/CONTRIBUTING.md" >"$work/more.md"
sed '/^| a verb |/d' "$source/CONTRIBUTING.md" >"$work/less.md"
unlike "$work/more.md" | grep -q "the row 'src/things/thing_\*.c'" || { echo "a row without a file is not noticed"; exit 1; }
unlike "$work/less.md" | grep -q '^src/cli/verb_planted.c is planted' || { echo "a file without a row is not noticed"; exit 1; }

mkdir "$tree"
(cd "$source" && tar -cf - --exclude='./build*' --exclude=./.git --exclude=./.cache .) | tar -C "$tree" -xf - || exit 2
cp -r "$here/planted/." "$tree/"
# What a compiler cache has of the tree without them is taken from there, for which it has to be built in the same way. The
# rest is compiled without optimization, and does not go into the cache.
type=Debug launcher=$here/unoptimized.sh
if [ "${CMAKE_C_COMPILER_LAUNCHER:-}" = ccache ]; then
  type=Release launcher=ccache
  export CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1 CCACHE_READONLY=1 CCACHE_PREFIX="$here/unoptimized.sh"
fi
cmake -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=$type -DGRADUS_CUBINS= -DCMAKE_C_COMPILER_LAUNCHER="$launcher" >"$work/log" 2>&1 &&
  cmake --build "$build" --parallel 2 --target gradus >>"$work/log" 2>&1 ||
  { echo "the tree with one file more of each does not build:"; grep -m 12 -e error -e Error "$work/log"; exit 1; }
gradus=$build/gradus
export GRADUS_NVRTC=/missing.so # what is shown does not depend on NVIDIA's compiler

# shown WHAT PATTERN COMMAND…: the command's output has a line like the pattern; with the program without the planted files
# in place of the other, it has none.
shown() {
  what=$1 pattern=$2
  shift 2
  "$@" >"$work/out" 2>&1 </dev/null
  if ! grep -Eq "$pattern" "$work/out"; then
    echo "$what is not picked up: '$*' has no line like '$pattern':"
    head -n 12 "$work/out"
    failed=1
  elif [ "$1" = "$gradus" ]; then
    shift
    "$unplanted" "$@" >"$work/out" 2>&1 </dev/null
    grep -Eq "$pattern" "$work/out" || return
    echo "$what is shown by nothing: without it, '$*' has a line like '$pattern', too"
    failed=1
  fi
}

# tested NAME [TARGET]: a test of that name has been found, and passes.
tested() {
  [ $# = 1 ] || cmake --build "$build" --parallel 2 --target "$2" >"$work/log" 2>&1 || tail -n 12 "$work/log"
  shown "a test, $1" '(Passed|Skipped)' ctest --test-dir "$build" -R "^$1\$"
}

planted=$tree/kernels/gpu/92_planted.cu
shown "a rung" '91_planted' "$gradus" list
shown "a rung, in the ladder" '91_planted.* right' "$gradus" ladder --kernels 91 --size 32 --peer none
shown "a rung of the GPU" '92_planted' "$gradus" list --device sim
if "$gradus" version | grep -q 'written and read'; then
  shown "a rung of the GPU, in its guide" '^## 92_planted' "$gradus" guide "$tree/docs/ladder"
fi
shown "operand types" 's32 s32 s32 s32' "$gradus" planted
shown "a verb" 'planted +a verb that was planted' "$gradus" help
shown "a verb, in the man page" 'gradus planted' "$gradus" man
shown "a format" '^planted: 1 rows' "$gradus" ladder --kernels 1 --size 32 --peer none --format planted
shown "a format, for explanations" '^planted: 1 kernels' "$gradus" explain 1 --size 64 --simulate no --format planted
shown "a peer" 'planted' "$gradus" devices
shown "a backend" 'no device is planted at planted:3' "$gradus" ladder --device planted:3
shown "a backend, in the help" 'planted\[:N\]' "$gradus" help ladder
shown "a vendor, its driver" 'the driver of the vendor that was planted' "$gradus" ladder --device sown
shown "a vendor, its compiler" 'the compiler of the vendor that was planted' "$gradus" explain 1 --size 64 --gpu sown --simulate no
shown "a device" 'NVIDIA Planted' "$gradus" explain 1 --size 64 --gpu planted --simulate no
shown "an analysis" 'This section was planted' "$gradus" explain 1 --size 64 --simulate no
shown "a rule of advice" 'this finding was planted' "$gradus" explain 1 --size 64 --simulate no
shown "a kind of finding" '"kind": "planted-kind", "severity": "note"' "$gradus" explain 1 --size 64 --simulate no --format json
tested unit.test_planted test_planted
tested cli.planted
tested sim.fault.planted flatten
tested workloads.planted_copy
shown "a micro-kernel" 'micro-kernel f32_9x8_portable' "$gradus" planted
if [ "$(uname -m)" = x86_64 ]; then
  sed 's/^\/\/@ type.*/&\n\/\/@ isa      planted/' "$tree/kernels/cpu/91_planted.c" >"$work/93_wants.c"
  shown "an instruction set" '93_wants.* right' "$gradus" run "$work/93_wants.c" --size 32 --peer none
  shown "an instruction set, in the library" 'instruction set planted' "$gradus" planted
fi
if command -v g++ >/dev/null 2>&1; then
  shown "a header for the simulator" 'includes_planted.* right' "$gradus" run "$here/includes_planted.cu" --device sim --size 32
  shown "an observer" 'planted-kind, line 1.: thread' "$gradus" explain "$planted" --size 32
else
  echo "skip: what the simulator picks up: g++ is missing (apt-get install g++)"
fi
exit $failed
