#!/bin/sh
# interface.sh BUILD INCLUDE openmpi|mpich: programs that call gradus/dist.h with communicators of an MPI: the example that
# docs/distributed.md quotes, and what is refused. SPDX-License-Identifier: MIT
set -u
build=$1 include=$2 name=$3
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/shared_out.mpi.c
skip() {
  echo "skip: $1"
  exit 77
}
run=$(command -v "mpirun.$name") || skip "mpirun.$name is missing (apt-get install openmpi-bin mpich)"
mpicc=$(command -v "mpicc.$name") || skip "mpicc.$name is missing (apt-get install libopenmpi-dev libmpich-dev)"
[ -e "$build/gradus-mpi-$name.so" ] || skip "the build found no mpicc of $name"

work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-interface.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HYDRA_TOPO_DEBUG=0 GRADUS_NUM_THREADS=1
# MPICH's processes do not sleep while they wait.
counts="1 3 4"
[ "$name" = openmpi ] && run="$run --oversubscribe" || counts="1 2"
failed=0
complain() {
  echo "$*"
  failed=1
}
sed -n 's,^ \*  > ,,p' "$example" >wanted
[ -s wanted ] || complain "the example's first comment does not say what it prints"
for program in "$example" "$here/interface.c"; do
  file=${program##*/}
  "$mpicc" -std=c11 -O1 -Wall -Wextra -o "${file%%.*}" -I"$include" "$program" -L"$build" -lgradus \
    -Wl,-rpath,"$build" || exit 1
done
for count in $counts; do
  # shellcheck disable=SC2086 # a program and its option
  timeout 60 $run -n $count ./shared_out </dev/null >printed || complain "the example on $count ranks: status $?"
  cmp -s printed wanted || { complain "the example on $count ranks printed:" && cat printed; }
done
for count in $counts; do
  # shellcheck disable=SC2086
  timeout 60 $run -n $count ./interface </dev/null >printed || complain "interface on $count ranks: status $?"
  [ -s printed ] && complain "interface on $count ranks:" && cat printed
done
exit $failed
