#!/bin/sh
# netlib.sh LIBRARY PLANTED PLAIN64: netlib's own programs for level 3 of BLAS, from Debian's libblas-test and
# libblas64-test, with LIBRARY preloaded over the reference: errors, results, both layouts, on the package's sizes and on
# sizes of several tiles, at each ISA level. Their exit status is 0 whatever they find, so their text is read. PLANTED,
# preloaded before LIBRARY, has faults that must be found; PLAIN64 gives the 64-bit programs the plain names that they
# call. SPDX-License-Identifier: MIT
set -u
library=$1 planted=$2 plain64=$3
case $(uname -m) in
x86_64) levels="avx512 avx2 portable" ;; # one that does not run here gives way to the best that does
*) levels="neon portable" ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-netlib.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# find_programs NAME: sets $folder to that of the programs for blas or blas64, or says what is missing.
find_programs() {
  for folder in /usr/lib/*/"$1"; do [ -x "$folder/xscblat3" ] && break; done
  [ -x "$folder/xscblat3" ] && [ -e "$folder/lib$1.so.3" ] && return
  echo "skip: netlib's test programs for $1: apt-get install lib$1-test lib$1$2"
  return 1
}

# bound FILE SYMBOL TO: FILE's calls of SYMBOL went to TO, by the dynamic linker's own account.
bound() {
  cat bindings.* | grep -q "binding file $1 .* to $3 .*symbol .$2'" || echo "${1##*/}: $2 of ${3##*/} was not called"
}

# lacks TEXT…: says which of the lines that begin so are not in `out`.
lacks() {
  for text in "$@"; do grep -q "^ *$text" out || echo "${program##*/}: no line '$text'"; done
}

# verdict PROGRAM INPUT: runs it and prints what is wrong with what it says.
verdict() {
  program=$folder/$1 type=$(echo "$1" | tr -d xclbat3)
  rm -f out ./*.out bindings.*
  LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings LD_LIBRARY_PATH=$folder LD_PRELOAD=$preload "$program" <"$2" >out 2>&1 ||
    echo "$1: exit status $?"
  cat ./*.out >>out 2>/dev/null # the Fortran programs write a file
  case $1 in
  xblat3?)
    routine=${type}gemm_ wide=${type}gemm_64_ name=$(echo "${type}gemm" | tr '[:lower:]' '[:upper:]')
    lacks "$name  PASSED THE TESTS OF ERROR-EXITS" "$name  PASSED THE COMPUTATIONAL TESTS"
    ;;
  x?cblat3)
    routine=cblas_${type}gemm wide=${routine}64_
    lacks "$routine  PASSED THE TESTS OF ERROR-EXITS" "$routine  PASSED THE COLUMN-MAJOR COMPUTATIONAL TESTS" \
      "$routine  PASSED THE ROW-MAJOR    COMPUTATIONAL TESTS"
    ;;
  esac
  bound "$program" "$routine" "${preload%% *}"
  [ "${preload%% *}" != "$plain64" ] || bound "$plain64" "$wide" "$library"
  lacks 'END OF TESTS'
  grep -E 'FAIL|SUSPECT|FATAL|\*\*\*|\?\?\?|NOT DETECTED|[Ee]rror termination' out | sed "s/^/$1: /" | head -n 5
}

# larger INPUT: the same tests of GEMM alone, with sizes up to what the programs have room for.
larger() {
  sed -e '/NUMBER OF VALUES OF N/s/^[0-9]*/4/' -e 's/^[0-9 ]*VALUES OF N$/0 1 49 65/' \
    -e '/gemm\|GEMM/!s/ T PUT/ F PUT/' "$1"
}

everything() {
  for type in s d; do
    verdict "xblat3$type" "$folder/${type}blat3.in"
    verdict "x${type}cblat3" "$folder/${type}in3"
    larger "$folder/${type}blat3.in" >larger.in && verdict "xblat3$type" larger.in
    larger "$folder/${type}in3" >larger.in && verdict "x${type}cblat3" larger.in
  done
}

all_pass() {
  found=$(everything)
  [ -z "$found" ] || { echo "$folder, GRADUS_ISA=${GRADUS_ISA:-}:"; echo "$found"; failed=1; }
}

# must_find TEXT PROGRAM INPUT: the planted fault shows, and as what it is.
must_find() {
  found=$(verdict "$2" "$folder/$3")
  echo "$found" | grep -q "$1" || { echo "$2 with a fault planted: not '$1' but: $found"; failed=1; }
}

find_programs blas 3 || exit 77
larger "$folder/sin3" | grep -q '^0 1 49 65$' || { echo "sin3 is not as this test knows it"; failed=1; }
preload=$library
for isa in $levels; do
  export GRADUS_ISA="$isa"
  all_pass
done
unset GRADUS_ISA
preload="$planted $library"
must_find 'FAILED THE COMPUTATIONAL TESTS\|SUSPECT' xblat3s sblat3.in
must_find 'NOT DETECTED' xblat3d dblat3.in
must_find 'ROW-MAJOR    COMPUTATIONAL TESTS' xscblat3 sin3
must_find 'TESTS OF ERROR-EXITS' xdcblat3 din3

preload="$plain64 $library"
if find_programs blas64 -3; then all_pass; fi
exit $failed
