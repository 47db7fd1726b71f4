"""ranks_torch.py: gradus.distributed over torch.distributed's gloo: for torchrun, or with a process for each rank that this starts:
ranks_torch.py RANKS [dies|waits]. The last rank ends, or does not come to a product for longer than the others wait. SPDX-License-Identifier: MIT"""
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist

import distributed_cases
from gradus import distributed as gd


def over_groups():
    """The world, the even ranks, which others take no part in, and arrays of NumPy as well."""
    rank, size = dist.get_rank(), dist.get_world_size()
    even = dist.new_group(list(range(0, size, 2)), backend="gloo")
    for group in (dist.group.WORLD, even):
        if rank not in dist.get_process_group_ranks(group):
            continue
        with gd.Communicator(group, timeout=60) as comm:
            assert (comm.rank, comm.size) == (dist.get_rank(group), dist.get_world_size(group))
            distributed_cases.products(comm)
            distributed_cases.products(comm, torch.from_numpy)
            lines = distributed_cases.mistakes(comm, torch.from_numpy)
            all_lines = [None] * comm.size
            dist.all_gather_object(all_lines, lines, group=group)
            assert all(x == lines for x in all_lines)
            x = gd.Replicated((4, 4)).of(torch.ones(4, 4, requires_grad=True))
            distributed_cases.refused(comm, ValueError, "a: found a tensor that requires gradients", lambda: gd.matmul(x, x, x, comm))
    x = torch.ones(1)
    dist.all_reduce(x)
    assert x.item() == size
    if rank == 0:
        print(f"{size} ranks: right")


def without_the_last(waits):
    """All others raise one line each in bounded time, and every later product fails, too."""
    rank, size = dist.get_rank(), dist.get_world_size()
    comm = gd.Communicator(dist.group.WORLD, timeout=2 if waits else 60)
    x = gd.Blocked((8, 8), (size, 1))
    mine = x.of(torch.ones(x.local_shape(rank), dtype=torch.float64))
    gd.matmul(mine, mine, x, comm)
    if rank == size - 1:
        time.sleep(10 if waits else 0)
        os._exit(0)
    begin = time.monotonic()
    line = distributed_cases.refused(comm, gd.Error, "", lambda: [gd.matmul(mine, mine, x, comm) for _ in range(3)])
    assert distributed_cases.refused(comm, gd.Error, "", lambda: gd.matmul(mine, mine, x, comm))
    assert time.monotonic() - begin < 8
    comm.free()
    print(f"rank {rank} ended: {line}"[:300])
    sys.stdout.flush()
    os._exit(0)  # PyTorch waits for the rank that died


def with_a_rank_that_dies():
    without_the_last(False)


def with_a_rank_that_waits():
    without_the_last(True)


def run(rank, size, file, work):
    if file:
        dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
    else:
        dist.init_process_group("gloo")
    work()
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    if "RANK" in os.environ:
        run(None, None, None, over_groups)
    else:
        size = int(sys.argv[1])
        work = {"dies": with_a_rank_that_dies, "waits": with_a_rank_that_waits}.get((sys.argv[2:] or [""])[0], over_groups)
        with tempfile.TemporaryDirectory() as folder:
            torch.multiprocessing.spawn(run, (size, os.path.join(folder, "store"), work), size)
