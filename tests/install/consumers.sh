#!/bin/sh
# consumers.sh BUILD CMAKE CC: installs to an empty prefix, moves it, and builds and runs a stranger's C and C++ programs
# against it: by pkg-config, by find_package, and with the static library. SPDX-License-Identifier: MIT
set -u
build=$1 cmake=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-install.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved" # nothing installed may hold its own path
prefix=$work/moved
pc=$(find "$prefix" -name gradus.pc)
lib=$(dirname "$(dirname "$pc")")
for wanted in "$lib/libgradus.so" "$lib/libgradus.so.0" "$lib/libgradus.a" "$prefix/include/gradus/gradus.h" \
  "$lib/cmake/gradus/gradusConfig.cmake" "$prefix/bin/gradus" "$prefix/share/man/man1/gradus.1" \
  "$prefix/share/bash-completion/completions/gradus"; do
  [ -s "$wanted" ] || complain "installed empty: ${wanted#"$prefix/"}"
  [ -e "$wanted" ] || complain "not installed: ${wanted#"$prefix/"}"
done
if grep -rIl "$build" "$prefix" >"$work/found"; then complain "installed files name the build folder: $(cat "$work/found")"; fi

run() { LD_LIBRARY_PATH=$lib "$@" >"$work/out" 2>&1 || { cat "$work/out"; complain "failed: $*"; }; }

if command -v pkg-config >/dev/null 2>&1; then
  flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs gradus)
  # shellcheck disable=SC2086 # flags are words
  { "$cc" -o "$work/c" "$here/consumer.c" $flags && run "$work/c"; } || complain "a C program by pkg-config"
  if command -v g++ >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    { g++ -x c++ -o "$work/cpp" "$here/consumer.c" $flags && run "$work/cpp"; } || complain "a C++ program by pkg-config"
  fi
else
  echo "skip: consumers by pkg-config: it is missing (apt-get install pkg-config)"
fi
{ "$cc" -I"$prefix/include" -o "$work/static" "$here/consumer.c" "$lib/libgradus.a" -pthread -ldl -lm &&
  run "$work/static"; } || complain "a C program with the static library"

mkdir "$work/project"
cp "$here/consumer.c" "$work/project/"
cp "$here/consumer.c" "$work/project/consumer.cpp"
languages=C
command -v g++ >/dev/null 2>&1 && languages="C CXX"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(consumer $languages)
find_package(gradus 0.1 REQUIRED)
add_executable(shared consumer.c)
target_link_libraries(shared PRIVATE gradus::gradus)
add_executable(static consumer.c)
target_link_libraries(static PRIVATE gradus::static)
if(CMAKE_CXX_COMPILER)
  add_executable(cpp consumer.cpp)
  target_link_libraries(cpp PRIVATE gradus::gradus)
endif()
END
if "$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/project/build" >>"$work/log" 2>&1; then
  for program in shared static cpp; do
    [ ! -x "$work/project/build/$program" ] || run "$work/project/build/$program"
  done
else
  cat "$work/log"
  complain "a CMake project by find_package"
fi
exit $failed
