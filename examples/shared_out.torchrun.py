"""The same with PyTorch's processes: `torchrun --nproc-per-node 4 shared_out.torchrun.py` prints, as any other number of
processes does:

 > the sum of C is 505000

SPDX-License-Identifier: MIT"""
import torch
import torch.distributed as dist

from gradus import distributed as gd

SIZE = 100
dist.init_process_group("gloo")
with gd.Communicator(dist.group.WORLD, timeout=300) as comm:
    rows = gd.Blocked((SIZE, SIZE), grid=(comm.size, 1))
    mine = rows.local_shape(comm.rank)
    a = rows.of(torch.ones(mine, dtype=torch.float64))
    b = rows.of(torch.zeros(mine, dtype=torch.float64))
    b.local[:] = torch.arange(1, SIZE + 1) / SIZE  # each column one number
    c = gd.matmul(a, b, rows, comm)  # c.local: this rank's rows of C

total = c.local.sum()
dist.reduce(total, 0)
if dist.get_rank() == 0:
    print(f"the sum of C is {total:.0f}")
dist.destroy_process_group()
