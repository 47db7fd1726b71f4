"""test_distributed.py: gradus.distributed over threads, which need neither MPI nor PyTorch. SPDX-License-Identifier: MIT"""
import ctypes
import sys
import unittest

import numpy as np

import distributed_cases
from gradus import distributed as gd


class Layouts(unittest.TestCase):
    def test_each_element_once(self):
        for size in (1, 2, 3, 4, 6):
            for shape in ((0, 5), (1, 1), (7, 3), (23, 17)):
                for layout in distributed_cases.layouts(shape, size):
                    counts = np.zeros(shape, int)
                    for rank in range(size):
                        counts[np.ix_(*layout.indices(rank))] += 1
                        self.assertEqual(layout.local_shape(rank), tuple(len(i) for i in layout.indices(rank)))
                    self.assertTrue((counts == (size if isinstance(layout, gd.Replicated) else 1)).all(), (layout, size))

    def test_refusals(self):
        for call, text in (
            (lambda: gd.Blocked((3, 3), (0, 1)), "grid: found (0, 1), wanted two numbers from 1 on"),
            (lambda: gd.Blocked((3, -3), (1, 1)), "shape: found (3, -3)"),
            (lambda: gd.Replicated((3, 3), order="K"), "order: found 'K', wanted 'C' or 'F'"),
            (lambda: gd.Cyclic((3, 3), (2, 2), (2, 1), source=(0, 1)), "source: found (0, 1)"),
        ):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(text, str(caught.exception))


class Interface(unittest.TestCase):
    def test_structures_have_the_sizes_of_the_header(self):
        """gradus_gemm_dist_init writes all of it, and nothing behind it."""
        size = ctypes.sizeof(gd._Gemm)
        memory = (ctypes.c_ubyte * (size + 64))(*([0xA5] * (size + 64)))
        gd._lib.gradus_gemm_dist_init(ctypes.cast(memory, ctypes.POINTER(gd._Gemm)), 1)
        self.assertEqual(bytes(memory)[size:], b"\xa5" * 64)
        self.assertEqual(bytes(memory)[size - 8:size], bytes(8))

    def test_what_is_no_communicator(self):
        for x in (None, 42, "MPI_COMM_WORLD"):
            with self.assertRaises(TypeError) as caught:
                gd.Communicator(x)
            line = str(caught.exception)
            self.assertIn("wanted a communicator of mpi4py, or a process group of torch.distributed", line)
            self.assertNotIn("\n", line)
        with self.assertRaises(TypeError):
            gd.matmul(None, None, None, 42)

    def test_imports_no_framework(self):
        import subprocess

        subprocess.run([sys.executable, "-c", "import sys, gradus.distributed; sys.exit(bool({'numpy', 'torch', 'mpi4py'} & set(sys.modules)))"],
                       check=True)


class Threads(unittest.TestCase):
    def test_products(self):
        for ranks in (1, 2, 3, 4, 6):
            gd.run_threads(ranks, distributed_cases.products)

    def test_mistakes(self):
        for ranks in (1, 2, 4):
            lines = gd.run_threads(ranks, distributed_cases.mistakes)
            self.assertTrue(all(x == lines[0] for x in lines))

    def test_a_rank_that_leaves(self):
        def work(comm):
            if comm.rank == 1:
                raise KeyError("left")
            x = gd.Replicated((4, 4)).of(np.zeros((4, 4)))
            gd.matmul(x, x, x.layout, comm)

        with self.assertRaisesRegex(KeyError, "left"):
            gd.run_threads(3, work)

    def test_results_and_read_only(self):
        self.assertEqual(gd.run_threads(3, lambda comm: (comm.rank, comm.size)), [(0, 3), (1, 3), (2, 3)])
        constant = np.zeros((4, 4))
        constant.flags.writeable = False
        x = gd.Replicated((4, 4)).of(constant)
        with self.assertRaisesRegex(ValueError, "out: found an array that is read-only"):
            gd.run_threads(1, lambda comm: gd.matmul(x, x, x, comm))
        with self.assertRaisesRegex(ValueError, "ranks: found 0"):
            gd.run_threads(0, len)


if __name__ == "__main__":
    unittest.main()
