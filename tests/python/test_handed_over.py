"""test_handed_over.py: what the library is handed, told by recorder.c in its place: the arrays' own memory where BLAS needs no
copy. SPDX-License-Identifier: MIT
"""
import ctypes
import os
import sys
import unittest

import numpy as np
from foreign_array import Foreign

import gradus

recorded = (ctypes.c_int64 * 6).in_dll(ctypes.CDLL(os.environ["GRADUS_LIBRARY"]), "recorded")


def place(x):
    return x.__array_interface__["data"][0]


class HandedOver(unittest.TestCase):
    def test_no_copy_where_blas_needs_none(self):
        x = np.zeros((40, 30))
        for a in (x, x[3:20, 2:9], x[::2], x.T, x.T[2:5, ::3], x[:1], x[:, :1], x[5:6, ::7]):
            for out in (np.empty((a.shape[0], a.shape[0])), np.empty((a.shape[0], 50))[:, 3 : 3 + a.shape[0]],
                        np.empty((a.shape[0], a.shape[0])).T):
                gradus.matmul(a, a.T, out=out)
                if a.shape == (1, 5):  # seven elements apart, in one row: its column form is as good
                    self.assertEqual(recorded[2], place(out))
                self.assertEqual(list(recorded[:3]), [place(y) for y in (a, a, out)], f"{a.shape} {a.strides} {out.strides}")

    def test_no_copy_of_dlpack(self):
        x, out = np.zeros((40, 30)), np.empty((20, 20))
        gradus.matmul(Foreign(x[::2]), Foreign(x[::2].T), out=Foreign(out))
        self.assertEqual(list(recorded[:3]), [place(x), place(x), place(out)])

    def test_copies(self):
        x, out = np.zeros((40, 40)), np.empty((20, 20))
        for a in (x[::2, ::2], x[39::-2, :20], np.broadcast_to(x[0, :20], (20, 20)), x.astype(">f8")[:20, :20]):
            gradus.matmul(a, a, out=out)
            self.assertNotIn(place(a), recorded[:2])
            self.assertEqual(recorded[2], place(out))
        for out in (x[::2, ::2], x[:20, 39:19:-1], np.broadcast_to(x[0, :20], (20, 20)), x[:20, :20]):
            out.flags.writeable = True
            gradus.matmul(x[:20, :20], x[20:, 20:], out=out)
            self.assertNotEqual(recorded[2], place(out))

    def test_stacks(self):
        x, flat = np.zeros((4, 2, 2)), np.zeros(40)
        for steps, copied in (((32, 16, 8), False), ((16, 64, 8), False), ((0, 16, 8), True), ((8, 16, 8), True), ((-32, 16, 8), False)):
            out = np.lib.stride_tricks.as_strided(flat[12:], (4, 2, 2), steps)
            gradus.matmul(x, x, out=out)
            self.assertEqual(recorded[2] != place(out), copied, steps)

    def test_bias(self):
        x, bias = np.zeros((20, 20)), np.zeros((20, 2))
        gradus.matmul(x, x, bias=x[3])
        self.assertEqual(recorded[3], place(x[3]))
        gradus.matmul(x, x, bias=bias[:, :1])
        self.assertNotEqual(recorded[3], place(bias))

    def test_threads(self):
        a = np.ones((3, 3))
        for threads, number in ((None, 0), (2, 2), (np.int64(3), 3)):
            gradus.matmul(a, a, threads=threads)
            self.assertEqual(recorded[4], number)

    def test_stacks_are_one_call(self):
        before = recorded[5]
        gradus.matmul(np.zeros((7, 2, 3)), np.zeros((3, 2)))
        gradus.matmul(np.zeros((0, 2, 3)), np.zeros((3, 2)))  # none at all
        self.assertEqual(recorded[5], before + 1)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False, verbosity=0).result.wasSuccessful())
