#!/bin/sh
# pblas.sh GRADUS BUILD openmpi|mpich: pdgemm_ and psgemm_ of libgradus-pblas in ScaLAPACK's place. ScaLAPACK's own tester
# of PBLAS level 3 passes, error codes included, and the count of calls shows that it called ours; a program of the tests finds
# every element right on 1 to 6 processes, by link order and by `gradus exec --pblas`; and what one process does wrong ends all.
# GRADUS_PBLAS_TESTERS names a folder with dpb3tst and spb3tst of another build of ScaLAPACK. SPDX-License-Identifier: MIT
set -u
gradus=$1 build=$2 name=$3
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "skip: $1"
  exit 77
}
run=$(command -v "mpirun.$name") || skip "mpirun.$name is missing (apt-get install openmpi-bin mpich)"
mpicc=$(command -v "mpicc.$name") || skip "mpicc.$name is missing (apt-get install libopenmpi-dev libmpich-dev)"
[ -e "$build/gradus-mpi-$name.so" ] || skip "the build found no mpicc of $name"

work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-pblas.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# What is linked shows whether ScaLAPACK is here.
compile() { "$mpicc" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra "$here/pblas_products.c" "$@" "-lscalapack-$name" -lm -ldl; }
compile -o plain 2>log || {
  grep -q 'cannot find -lscalapack' log && skip "ScaLAPACK is missing (apt-get install libscalapack-$name-dev)"
  cat log
  exit 1
}
compile -o linked -L"$build" -Wl,-rpath,"$build" -lgradus-pblas || exit 1

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HYDRA_TOPO_DEBUG=0 GRADUS_NUM_THREADS=1
# MPICH's processes do not sleep while they wait: more of them than there are cores take minutes.
counts="1 3 6" most=6
[ "$name" = openmpi ] && run="$run --oversubscribe" || counts="1 2" most=2
failed=0
complain() {
  echo "$*"
  failed=1
}
ranks() {
  count=$1
  shift
  # shellcheck disable=SC2086 # a program and its option
  timeout 60 $run -n "$count" "$@" </dev/null
}

for count in $counts; do
  ranks "$count" ./linked products 40 >out 2>&1 || { complain "$count ranks, linked: status $?" && head -5 out; }
done
ranks 2 "$gradus" exec --pblas --quiet ./plain products 10 >out 2>&1 || { complain "exec: status $?" && head -5 out; }
ranks 2 ./plain products 1 >out 2>&1 && complain "ScaLAPACK's own functions were taken for those of Gradus"

# One process's mistake: the words that its line must have.
several=$((most > 3 ? 3 : most))
# MPICH's launcher ends the processes as soon as one aborts, and loses at times what it has not yet read of their last lines.
tries=1
[ "$name" = mpich ] && tries=4
refuse() {
  for try in $(seq $tries); do
    start=$(date +%s)
    ranks $several ./linked "$1" >out 2>err && complain "$1: status 0"
    [ $(($(date +%s) - start)) -lt 30 ] || complain "$1: it took more than half a minute to end, at try $try"
    grep -q "$2" err && break
  done
  [ "$(grep -c "$2" err)" = 1 ] || { complain "$1: not one line with '$2':" && cat err; }
  grep -q 'came back' out && complain "$1: a process went on"
}
refuse sizes "^gradus: .*PDGEMM: ranks ask for different products: .*30x30x30.*30x29x30"
refuse offset "^gradus: .*PDGEMM: ranks ask for different products: .*C from"
refuse memory "^gradus: .*PDGEMM: rank [12]: out of memory"
refuse descriptor "^PBLAS ERROR 'DESCB: MB: found 0, wanted 1 or more'"
refuse grid "^PBLAS ERROR 'Parameter number 1002 had"
several=1 # of what is wrong on all, before they have a communicator, each has its line
GRADUS_MPI=$work/none.so refuse right "^gradus: PDGEMM: mpi: found no plug-in for GRADUS_MPI"

testers=${GRADUS_PBLAS_TESTERS:-}
for folder in /usr/lib/*/scalapack/"$name"-tests/PBLAS; do
  [ -z "$testers" ] && [ -x "$folder/dpb3tst" ] && testers=$folder
done
if [ -z "$testers" ]; then
  echo "skip: ScaLAPACK's tester of PBLAS is missing (apt-get install scalapack-mpi-test)"
  exit $failed
fi
# 20 products on each grid that fits, and every process of it calls once for each.
calls=720 tests=180
[ $most = 2 ] && calls=100 tests=60
for letter in D S; do
  lower=$(echo $letter | tr DS ds)
  awk -f "$here/pblas_input.awk" -v letter=$letter >"P${letter}BLAS3TST.dat"
  # shellcheck disable=SC2086
  timeout 100 "$gradus" exec --pblas --format json -o calls.json $run -n $most "$testers/${lower}pb3tst" >out 2>&1 ||
    complain "${lower}pb3tst: status $?"
  passed=$(awk -v name="P${letter}GEMM" '$2 == name && NF == 6 && $5 == 0 { print $4 }' out)
  [ "$passed" = $tests ] || { complain "${lower}pb3tst: found ${passed:-none} passed, wanted $tests" && tail -20 out; }
  grep '\*\*\* ERROR' out && complain "${lower}pb3tst: a wrong argument has another code than in PBLAS"
  grep -q 'Error-exit tests completed' out || complain "${lower}pb3tst: wrong arguments were not tested"
  found=$(tr -d ' \n' <calls.json | sed -n "s/.*\"routine\":\"p${lower}gemm_\",\"calls\":\([0-9]*\).*/\1/p")
  [ "$found" = $calls ] || { complain "${lower}pb3tst: found ${found:-no} calls of ours, wanted $calls" && cat calls.json; }
  echo "P${letter}GEMM: $passed tests passed in $found calls of libgradus-pblas"
done

# Routines of ScaLAPACK itself that call pdgemm_, on grids of their own: its tester of inverses.
inverses=$(dirname "$testers")/xdinv
if [ "$name" = openmpi ] && [ -x "$inverses" ] && cp "$(dirname "$testers")/INV.dat" .; then
  # shellcheck disable=SC2086
  timeout 100 "$gradus" exec --pblas --format json -o calls.json $run -n 4 "$inverses" >out 2>&1 || complain "xdinv: status $?"
  grep -q '^ *[1-9][0-9]* tests completed and passed' out || complain "xdinv: none passed"
  grep -q '^ *0 tests completed and failed' out || { complain "xdinv: some failed" && tail -8 out; }
  grep -q '"routine": *"pdgemm_"' calls.json || complain "xdinv did not call pdgemm_ of ours"
fi
exit $failed
