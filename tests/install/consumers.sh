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
for wanted in "$lib/libgradus.so" "$lib/libgradus.so.0" "$lib/libgradus-cublas.so.0" "$lib/libgradus.a" "$prefix/include/gradus/gradus.h" \
  "$lib/cmake/gradus/gradusConfig.cmake" "$prefix/bin/gradus" "$prefix/share/man/man1/gradus.1" \
  "$prefix/share/man/man3/gradus.3" "$prefix/share/bash-completion/completions/gradus"; do
  [ -s "$wanted" ] || complain "installed empty: ${wanted#"$prefix/"}"
  [ -e "$wanted" ] || complain "not installed: ${wanted#"$prefix/"}"
done
manual=$prefix/share/man/man3/gradus.3
grep -v '^#' "$here/symbols.txt" >"$work/symbols"
while read -r name; do
  grep -q "\b$name\b" "$manual" || complain "gradus(3) does not have $name"
done <"$work/symbols"
if command -v mandoc >/dev/null 2>&1; then mandoc -T lint -W error "$manual" || complain "gradus(3) is not clean"; fi
if grep -rIl "$build" "$prefix" >"$work/found"; then complain "installed files name the build folder: $(cat "$work/found")"; fi

# run PROGRAM: it succeeds; one that is named after consumer_blas writes the library's own message and nothing else.
run() {
  LD_LIBRARY_PATH=$lib "$1" >"$work/out" 2>&1 || { cat "$work/out"; complain "failed: $1"; }
  case $1 in
  *_blas) echo ' ** On entry to SGEMM parameter number  3 had an illegal value' | diff "$work/out" - ||
    complain "$1: not the message of the library's xerbla_" ;;
  esac
}

flags=
if command -v pkg-config >/dev/null 2>&1; then
  flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs gradus)
else
  echo "skip: consumers by pkg-config: it is missing (apt-get install pkg-config)"
fi
for source in consumer consumer_blas; do
  # shellcheck disable=SC2086 # flags are words
  if [ "$flags" ]; then
    { "$cc" -o "$work/c_$source" "$here/$source.c" $flags && run "$work/c_$source"; } || complain "$source in C by pkg-config"
    if command -v g++ >/dev/null 2>&1; then
      { g++ -Wall -Wextra -Wpedantic -Werror -x c++ -o "$work/cpp_$source" "$here/$source.c" $flags && run "$work/cpp_$source"; } ||
        complain "$source in C++ by pkg-config"
    fi
  fi
  { "$cc" -I"$prefix/include" -o "$work/static_$source" "$here/$source.c" "$lib/libgradus.a" -pthread -ldl -lm &&
    run "$work/static_$source"; } || complain "$source with the static library"
done

"$here/../examples/examples.sh" "$prefix/include" "$lib" "$cc" || complain "the programs of examples/ with the installed library"

mkdir "$work/project"
cp "$here/consumer.c" "$here/consumer_blas.c" "$work/project/"
for source in consumer consumer_blas; do cp "$here/$source.c" "$work/project/$source.cpp"; done
languages=C
command -v g++ >/dev/null 2>&1 && languages="C CXX"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(consumer $languages)
find_package(gradus 0.1 REQUIRED)
foreach(source consumer consumer_blas)
  add_executable(shared_\${source} \${source}.c)
  target_link_libraries(shared_\${source} PRIVATE gradus::gradus)
  add_executable(static_\${source} \${source}.c)
  target_link_libraries(static_\${source} PRIVATE gradus::static)
  if(CMAKE_CXX_COMPILER)
    add_executable(cpp_\${source} \${source}.cpp)
    target_link_libraries(cpp_\${source} PRIVATE gradus::gradus)
  endif()
endforeach()
END
if "$cmake" -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/project/build" >>"$work/log" 2>&1; then
  for program in "$work"/project/build/*_consumer "$work"/project/build/*_consumer_blas; do run "$program"; done
else
  cat "$work/log"
  complain "a CMake project by find_package"
fi
exit $failed
