"""A product of matrices that are shared out over the processes of an MPI, some rows each. `mpirun -n 4 python
shared_out.mpi4py.py` prints, as any other number of processes does:

 > the sum of C is 505000

SPDX-License-Identifier: MIT"""
import numpy as np
from mpi4py import MPI

from gradus import distributed as gd

SIZE = 100
world = MPI.COMM_WORLD
with gd.Communicator(world) as comm:
    rows = gd.Blocked((SIZE, SIZE), grid=(comm.size, 1))
    mine = rows.local_shape(comm.rank)
    a = rows.of(np.ones(mine))
    b = rows.of(np.zeros(mine))
    b.local[:] = np.arange(1, SIZE + 1) / SIZE  # each column one number
    c = gd.matmul(a, b, rows, comm)  # c.local: this rank's rows of C

total = world.reduce(c.local.sum())
if world.rank == 0:
    print(f"the sum of C is {total:.0f}")
