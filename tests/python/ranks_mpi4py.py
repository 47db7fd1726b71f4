"""ranks_mpi4py.py: gradus.distributed over mpi4py, for mpirun -n 1 to 4. SPDX-License-Identifier: MIT"""
from mpi4py import MPI

import distributed_cases
from gradus import distributed as gd

world = MPI.COMM_WORLD
for ranks in (world, world.Split(world.rank % 2), MPI.COMM_SELF):
    with gd.Communicator(ranks) as comm:
        assert (comm.rank, comm.size) == (ranks.rank, ranks.size)
        distributed_cases.products(comm)
        lines = distributed_cases.mistakes(comm)
        assert all(x == lines for x in ranks.allgather(lines))
    distributed_cases.refused(ranks, ValueError, "comm: found one that was freed", lambda: comm.rank)
distributed_cases.refused(world, ValueError, "found a null communicator", lambda: gd.Communicator(MPI.COMM_NULL))
distributed_cases.refused(world, ValueError, "timeout: found one with a communicator of mpi4py", lambda: gd.Communicator(world, timeout=3))
assert world.allreduce(1) == world.size
if world.rank == 0:
    print(f"{world.size} ranks: right")
