#!/bin/sh
# netlib.sh LIBRARY PLANTED: netlib's own programs for level 3 of BLAS, from Debian's libblas-test, with LIBRARY preloaded
# over the reference libblas.so.3: errors, results, both layouts, on the package's sizes and on sizes of several tiles, at
# each ISA level. Their exit status is 0 whatever they find, so their text is read. PLANTED, preloaded before LIBRARY, has
# faults that must be found. SPDX-License-Identifier: MIT
set -u
library=$1 planted=$2
for folder in /usr/lib/*/blas; do [ -x "$folder/xscblat3" ] && break; done
for wanted in "$folder/xscblat3" "$folder/libblas.so.3"; do
  [ -e "$wanted" ] || { echo "skip: netlib's test programs: apt-get install libblas-test libblas3"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-netlib.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# bound SYMBOL: the program's calls of SYMBOL went to $first, by the dynamic linker's own account.
bound() {
  cat bindings.* | grep -q "binding file $program .* to $first .*symbol .$1'" ||
    echo "${program##*/}: $1 of ${first##*/} was not called"
}

# lacks TEXT…: says which of the lines that begin so are not in `out`.
lacks() {
  for text in "$@"; do grep -q "^ *$text" out || echo "${program##*/}: no line '$text'"; done
}

# verdict PROGRAM INPUT: runs it and prints what is wrong with what it says.
verdict() {
  program=$folder/$1
  rm -f out ./*.out bindings.*
  LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings LD_LIBRARY_PATH=$folder LD_PRELOAD=$preload "$program" <"$2" >out 2>&1 ||
    echo "$1: exit status $?"
  cat ./*.out >>out 2>/dev/null # the Fortran programs write a file
  case $1 in
  xblat3s) bound sgemm_ && lacks 'SGEMM  PASSED THE TESTS OF ERROR-EXITS' 'SGEMM  PASSED THE COMPUTATIONAL TESTS' ;;
  xblat3d) bound dgemm_ && lacks 'DGEMM  PASSED THE TESTS OF ERROR-EXITS' 'DGEMM  PASSED THE COMPUTATIONAL TESTS' ;;
  x?cblat3)
    routine=cblas_$(echo "$1" | cut -c 2)gemm
    bound "$routine"
    lacks "$routine  PASSED THE TESTS OF ERROR-EXITS" "$routine  PASSED THE COLUMN-MAJOR COMPUTATIONAL TESTS" \
      "$routine  PASSED THE ROW-MAJOR    COMPUTATIONAL TESTS"
    ;;
  esac
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
larger "$folder/sin3" | grep -q '^0 1 49 65$' || { echo "sin3 is not as this test knows it"; failed=1; }

preload=$library first=$library
case $(uname -m) in
x86_64) levels="avx512 avx2 portable" ;; # one that does not run here gives way to the best that does
*) levels="neon portable" ;;
esac
for isa in $levels; do
  export GRADUS_ISA="$isa"
  found=$(everything)
  [ -z "$found" ] || { echo "GRADUS_ISA=$isa:"; echo "$found"; failed=1; }
done
unset GRADUS_ISA

# must_find TEXT PROGRAM INPUT: the planted fault shows, and as what it is.
must_find() {
  found=$(verdict "$2" "$folder/$3")
  echo "$found" | grep -q "$1" || { echo "$2 with a fault planted: not '$1' but: $found"; failed=1; }
}
preload="$planted $library" first=$planted
must_find 'FAILED THE COMPUTATIONAL TESTS\|SUSPECT' xblat3s sblat3.in
must_find 'NOT DETECTED' xblat3d dblat3.in
must_find 'ROW-MAJOR    COMPUTATIONAL TESTS' xscblat3 sin3
must_find 'TESTS OF ERROR-EXITS' xdcblat3 din3
exit $failed
