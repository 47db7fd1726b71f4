#!/usr/bin/env python3
"""bench_distributed.py: times gradus.distributed over mpi4py and over torch.distributed's gloo, two ranks of one thread.
SPDX-License-Identifier: MIT

    PYTHONPATH=python mpirun -n 2 python3 scripts/bench_distributed.py mpi
    PYTHONPATH=python torchrun --nproc-per-node 2 scripts/bench_distributed.py gloo

float64, square, in blocks of rows. Each line: the median in milliseconds and the middle half.
"""
import statistics
import sys
import time

import numpy as np

from gradus import distributed as gd

SIZES = ((8, 200), (512, 30), (2048, 7))  # and the number of repetitions
WARM_UP = 2


def milliseconds(comm, barrier, n, repetitions):
    layout = gd.Blocked((n, n), (comm.size, 1))
    a = layout.of(np.ones(layout.local_shape(comm.rank)))
    c = layout.of(np.empty(layout.local_shape(comm.rank)))
    times = []
    for _ in range(WARM_UP + repetitions):
        barrier()
        start = time.perf_counter()
        gd.matmul(a, a, c, comm, threads=1)
        times.append((time.perf_counter() - start) * 1e3)
    return sorted(times[WARM_UP:])


def measure(group, barrier, name):
    with gd.Communicator(group) as comm:
        for n, repetitions in SIZES:
            times = milliseconds(comm, barrier, n, repetitions)
            if comm.rank == 0:
                quarter = len(times) // 4
                print(f"{name} {n}: {statistics.median(times):.2f} "
                      f"[{times[quarter]:.2f},{times[-1 - quarter]:.2f}]", flush=True)


def main():
    if sys.argv[1:] == ["mpi"]:
        from mpi4py import MPI
        measure(MPI.COMM_WORLD, MPI.COMM_WORLD.Barrier, "mpi4py")
    elif sys.argv[1:] == ["gloo"]:
        import torch
        import torch.distributed as dist
        torch.set_num_threads(1)
        dist.init_process_group("gloo")
        measure(dist.group.WORLD, dist.barrier, "gloo")
        dist.destroy_process_group()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
