#!/bin/sh
# distributed.sh SOURCE LIBRARY MODULE: products of the Python package that ranks compute together: threads, processes with
# mpi4py, and processes with torch.distributed, each where there is a Python with it. SPDX-License-Identifier: MIT
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-python.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/gradus" && cp "$1"/python/gradus/*.py "$3" "$work/gradus/" || exit 2
export PYTHONPATH="$work" GRADUS_LIBRARY="$2" PYTHONDONTWRITEBYTECODE=1 GRADUS_NUM_THREADS=1 OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HYDRA_TOPO_DEBUG=0
here=$1/tests/python python=/usr/bin/python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { echo "skip: the Python package: $python is missing or older than 3.10 (apt-get install python3)"; exit 77; }
"$python" -c 'import numpy' 2>/dev/null ||
  { echo "skip: the Python package: $python has no NumPy (apt-get install python3-numpy)"; exit 77; }
"$python" "$here/test_distributed.py" || exit 1

mpi_python=${GRADUS_MPI4PY_PYTHON:-$python}
name=$("$mpi_python" -c 'import numpy, mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI
print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
if [ -z "$name" ]; then
  echo "skip: the Python package with mpi4py: $mpi_python has no mpi4py; GRADUS_MPI4PY_PYTHON names another Python"
elif ! run=$(command -v "mpirun.$name") || ! [ -e "$(dirname "$2")/gradus-mpi-$name.so" ]; then
  echo "skip: the Python package with mpi4py: there is no mpirun.$name, or the build found no mpicc of $name"
else
  # MPICH's processes do not sleep while they wait.
  counts="1 2 3 4"
  [ "$name" = openmpi ] && run="$run --oversubscribe" || counts="1 2"
  for count in $counts; do
    # shellcheck disable=SC2086 # a program and its option
    printed=$(timeout 100 $run -n "$count" "$mpi_python" "$here/ranks_mpi4py.py" 2>&1 </dev/null)
    [ "$printed" = "$count ranks: right" ] || { echo "mpi4py of $name, $count ranks: $printed"; exit 1; }
    # shellcheck disable=SC2086
    printed=$(timeout 100 $run -n "$count" "$mpi_python" "$1/examples/shared_out.mpi4py.py" 2>&1 </dev/null)
    [ "$printed" = "the sum of C is 505000" ] || { echo "the example of mpi4py on $count ranks: $printed"; exit 1; }
  done
fi

torch_python=${GRADUS_TORCH_PYTHON:-$python}
if ! "$torch_python" -c 'import numpy, torch.distributed as d, sys; sys.exit(not d.is_gloo_available())' 2>/dev/null; then
  echo "skip: the Python package with torch.distributed: $torch_python has no PyTorch with gloo; GRADUS_TORCH_PYTHON names another Python"
  exit 0
fi
for count in 1 2 4; do
  printed=$(timeout 100 "$torch_python" "$here/ranks_torch.py" "$count" 2>&1 </dev/null)
  [ "$printed" = "$count ranks: right" ] || { echo "torch.distributed, $count ranks: $printed"; exit 1; }
done
for how in dies waits; do
  printed=$(timeout 100 "$torch_python" "$here/ranks_torch.py" 3 "$how" 2>&1 </dev/null)
  said=$(echo "$printed" | grep -c '^rank [01] ended: gradus.distributed: rank .: torch.distributed: ')
  [ "$said/$(echo "$printed" | wc -l)" = 2/2 ] || { echo "torch.distributed, a rank that $how: $printed"; exit 1; }
done
printed=$(timeout 100 "$torch_python" -m torch.distributed.run --nproc-per-node 3 "$1/examples/shared_out.torchrun.py" 2>/dev/null </dev/null)
[ "$printed" = "the sum of C is 505000" ] || { echo "the example of torchrun: $printed"; exit 1; }
