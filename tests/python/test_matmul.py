"""test_matmul.py: gradus.matmul beside numpy.matmul. Elements are small whole numbers, so that every product is exact and
compared to the bit. SPDX-License-Identifier: MIT
"""
import math
import os
import random
import subprocess
import sys
import threading
import unittest

import numpy as np

from foreign_array import Foreign

import gradus

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

rng = np.random.default_rng(5)


def whole(*shape, dtype="f8"):
    low = 0 if dtype == "u1" else -8
    return np.asarray(rng.integers(low, 9, shape)).astype(dtype)


def wanted(a, b, alpha=1, beta=0, out=0):
    """In whole numbers, by a loop of NumPy's own."""
    return alpha * np.matmul(np.asarray(a).astype("i8"), np.asarray(b).astype("i8")) + (beta * np.asarray(out).astype("i8") if beta else 0)


def needs_type(dtype, result):
    try:
        gradus.matmul(np.ones((2, 2), dtype), np.ones((2, 2), dtype))
    except NotImplementedError as error:
        return unittest.skip(f"{result}: {error}")
    return lambda test: test


class Compared(unittest.TestCase):
    def same(self, found, right):
        self.assertEqual(np.shape(found), np.shape(right))
        self.assertTrue(np.array_equal(found, right), f"\nfound {found}\nwanted {right}")

    def check(self, a, b, **options):
        before = [np.array(x) for x in (a, b)]
        found = gradus.matmul(a, b, **options)
        self.same(found, wanted(a, b))
        for x, kept in zip((a, b), before):
            self.assertTrue(np.array_equal(x, kept), "an operand has changed")
        return found

    def view(self, shape, dtype, r):
        """A view of that shape: cut out, turned, stepped, backwards, repeated, of either byte order or out of line."""
        steps = [r.choice([1, 1, 1, 2, 3]) for _ in shape]
        order = list(range(len(shape)))
        if r.random() < 0.5:
            r.shuffle(order)
        base = whole(*[shape[i] * steps[i] + r.randrange(3) for i in order], dtype=dtype)
        if r.random() < 0.1:
            base = base.astype(base.dtype.newbyteorder("S"))
        if r.random() < 0.1:
            raw = np.zeros(base.nbytes + 1, "u1")[1:].view(base.dtype).reshape(base.shape)
            raw[...] = base
            base = raw
        view = base.transpose(np.argsort(order))
        view = view[tuple(slice(0, size * step, step) for size, step in zip(shape, steps))]
        if r.random() < 0.2:
            view = view[tuple(slice(None, None, r.choice([1, -1])) for _ in shape)]
        if len(shape) > 2 and r.random() < 0.2:
            view = np.broadcast_to(view[:1], view.shape)
        return view


class Results(Compared):
    def test_shapes(self):
        shapes = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((1, 1), (1, 1)), ((300, 200), (200, 100)),
                  ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (6, 4, 5)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5)),
                  ((1, 3, 4), (7, 4, 5)), ((2, 3, 1, 4), (3, 4, 1))]
        shapes += [((0, 4), (4, 5)), ((3, 0), (0, 5)), ((3, 4), (4, 0)), ((0,), (0,)), ((0, 3, 4), (4, 5)), ((2, 3, 0), (0, 5))]
        for left, right in shapes:
            for dtype in ("f4", "f8"):
                with self.subTest(a=left, b=right, dtype=dtype):
                    a, b = whole(*left, dtype=dtype), whole(*right, dtype=dtype)
                    found = self.check(a, b)
                    self.assertEqual(found.dtype, a.dtype)
                    self.assertEqual(type(found), type(np.matmul(a, b)))

    def test_random_views(self):
        r = random.Random(7)
        for turn in range(600):
            m, n, k = (r.choice([1, 1, 2, 3, 5, 8, 17, 33]) for _ in range(3))
            stack = tuple(r.randrange(1, 4) for _ in range(r.choice([0, 0, 1, 2])))
            cut = r.randrange(len(stack) + 1)
            thin = tuple(1 if r.random() < 0.3 else size for size in stack)
            dtype = r.choice(["f4", "f8"])
            a, b = self.view(thin[cut:] + (m, k), dtype, r), self.view(stack + (k, n), dtype, r)
            with self.subTest(turn=turn, a=(a.shape, a.strides, a.dtype), b=(b.shape, b.strides, b.dtype)):
                self.check(a, b)
                out = self.view(stack + (m, n), dtype, r)
                if not out.flags.writeable or 0 in out.strides:
                    continue
                alpha, beta = r.choice([1, 2, -1, 0]), r.choice([0, 1, -2])
                right = wanted(a, b, alpha, beta, out)
                if beta == 0:
                    out[...] = np.nan
                self.assertIs(gradus.matmul(a, b, out=out, alpha=alpha, beta=beta), out)
                self.same(out, right)

    def test_out_of_vectors(self):
        for left, right in (((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5))):
            a, b = whole(*left), whole(*right)
            with self.subTest(a=left, b=right):
                out = np.full([2 * size for size in np.matmul(a, b).shape], np.nan)
                view = out[(..., *(slice(None, None, 2) for _ in out.shape))]
                self.same(gradus.matmul(a, b, out=view), wanted(a, b))
                self.assertEqual(np.isnan(out).sum(), out.size - view.size)

    def test_out_overlaps(self):
        for place in range(3):
            x = whole(300, 200)
            a, b = x[0:100, 0:100], x[100:200, 0:100]
            right = wanted(a, b)
            out = (x[0:100, 0:100], x[100:200, 0:100].T, x[50:150, 50:150])[place]
            self.same(gradus.matmul(a, b, out=out), right)
        x = whole(2, 3, 3)
        right = wanted(x, x, 1, 1, x)
        self.same(gradus.matmul(x, x, out=x, beta=1), right)

    def test_out_matrices_in_one_another(self):
        a, b = whole(3, 4, 5), whole(3, 5, 2)
        out = np.empty((4, 3, 2)).swapaxes(0, 1)
        self.same(gradus.matmul(a, b, out=out), wanted(a, b))
        flat = np.zeros(100)
        out = np.lib.stride_tricks.as_strided(flat, (3, 4, 2), (16, 64, 8))  # steps of 2, 8 and 1 elements
        self.same(gradus.matmul(a, b, out=out), wanted(a, b))
        self.assertTrue((flat[32:] == 0).all())

    def test_nan_in_out_is_not_read(self):
        out = np.full((3, 3), np.nan)
        self.same(gradus.matmul(whole(3, 0), whole(0, 3), out=out), np.zeros((3, 3)))
        out = np.full((3, 3), np.nan)
        self.same(gradus.matmul(whole(3, 2), whole(2, 3), out=out, alpha=0), np.zeros((3, 3)))

    def test_transposes(self):
        for turn_a in (False, True):
            for turn_b in (False, True):
                a = whole(*((2, 4, 3) if turn_a else (2, 3, 4)))
                b = whole(*((5, 4) if turn_b else (4, 5)))
                right = wanted(a.swapaxes(1, 2) if turn_a else a, b.T if turn_b else b)
                self.same(gradus.matmul(a, b, trans_a=turn_a, trans_b=turn_b), right)

    def test_mixed_floats(self):
        a, b = whole(3, 4, dtype="f4"), whole(4, 5, dtype="f8")
        self.assertEqual(self.check(a, b).dtype, np.float64)
        self.assertEqual(self.check(b.T, a.T).dtype, np.float64)

    def test_lists(self):
        self.same(gradus.matmul([[1.0, 2.0]], [[3.0], [4.0]]), [[11]])

    def test_from_many_threads(self):
        a, b = whole(200, 300), whole(300, 100)
        right, wrong = wanted(a, b), []

        def multiply():
            for _ in range(20):
                if not np.array_equal(gradus.matmul(a, b), right):
                    wrong.append(1)

        threads = [threading.Thread(target=multiply) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(wrong)


class Eights(Compared):
    @needs_type("i1", "int8")
    def test_eights(self):
        r = random.Random(3)
        for _ in range(200):
            a = self.view((r.randrange(1, 20), r.randrange(1, 40)), r.choice(["i1", "u1"]), r)
            b = self.view((a.shape[1], r.randrange(1, 20)), r.choice(["i1", "u1"]), r)
            self.assertEqual(self.check(a, b).dtype, np.int32)
        ends = np.full((3, 1000), -128, "i1"), np.full((1000, 3), 255, "u1")
        self.same(gradus.matmul(*ends), np.full((3, 3), -128 * 255 * 1000))
        with self.assertRaises(ValueError):
            gradus.matmul(*ends, alpha=0.5)
        with self.assertRaises(TypeError):
            gradus.matmul(*ends, out=np.zeros((3, 3)))

    @unittest.skipIf(ml_dtypes is None, "bfloat16: ml_dtypes is missing (pip install ml_dtypes)")
    def test_bfloat16(self):
        half = np.dtype(ml_dtypes.bfloat16)
        try:
            gradus.matmul(np.ones((2, 2), half), np.ones((2, 2), half))
        except NotImplementedError as error:
            self.skipTest(str(error))
        a, b = whole(9, 40).astype(half), whole(40, 17).astype(half)
        self.assertEqual(self.check(a, b).dtype, np.float32)
        out = np.zeros((9, 17), half)
        self.same(gradus.matmul(a, b, out=out), wanted(a, b).astype(np.float32).astype(half))
        with self.assertRaises(TypeError):
            gradus.matmul(a, b.astype("f4"))


class Epilogue(Compared):
    def test_bias(self):
        a, b = whole(2, 7, 5), whole(5, 3)
        columns, rows = whole(3), whole(7, 1)
        for bias in (columns, columns[np.newaxis], whole(6)[::2], columns.astype(">f8"), rows, whole(7, 2)[:, 1:]):
            for order in "CF":
                out = np.full((2, 7, 3), np.nan, order=order)
                self.same(gradus.matmul(a, b, out=out, bias=bias), wanted(a, b) + bias)
        self.same(gradus.matmul(a, b[:, 0], bias=rows[:, 0]), wanted(a, b[:, 0]) + rows[:, 0])
        self.same(gradus.matmul(a[0, 0], b, bias=columns), wanted(a[0, 0], b) + columns)
        out = whole(7, 3)
        right = wanted(a[0], b) + out[2]
        self.same(gradus.matmul(a[0], b, out=out, bias=out[2]), right)

    def test_activations(self):
        a, b, bias = whole(7, 5), whole(5, 3), whole(3)
        sums = (wanted(a, b) + bias).astype("f8")
        self.same(gradus.matmul(a, b, bias=bias, activation="relu"), np.maximum(sums, 0))
        curve = np.vectorize(lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2)))
        found = gradus.matmul(a, b, bias=bias, activation="gelu", alpha=1 / 8)
        self.assertTrue(np.allclose(found, curve(wanted(a, b) / 8 + bias), rtol=1e-12, atol=0))
        nan = np.array([[np.nan]])
        self.assertTrue(np.isnan(gradus.matmul(nan, nan, activation="relu")).all())

    def test_refusals(self):
        a = np.ones((3, 3))
        for bias in (np.ones(4), np.ones((3, 3)), np.ones((1, 1)), np.float64(1), np.ones((1, 1, 3))):
            with self.assertRaisesRegex(ValueError, "bias: found shape"):
                gradus.matmul(a, a, bias=bias)
        with self.assertRaisesRegex(TypeError, "bias: found dtype float32, wanted float64"):
            gradus.matmul(a, a, bias=np.ones(3, "f4"))
        for activation in ("sigmoid", 1, b"relu"):
            with self.assertRaisesRegex(ValueError, "activation"):
                gradus.matmul(a, a, activation=activation)


class Others(Compared):
    """Arrays that are not NumPy's."""

    def test_foreign(self):
        a, b = whole(2, 3, 4), whole(4, 5)
        for old in (False, True):
            found = gradus.matmul(Foreign(a, old), Foreign(b, old))
            self.assertIsInstance(found, Foreign)
            self.same(found.array, wanted(a, b))
            self.assertIsInstance(gradus.matmul(a, Foreign(b, old)), np.ndarray)
            out = np.full((2, 3, 5), np.nan)
            mine = Foreign(out, old)
            self.assertIs(gradus.matmul(a, Foreign(b, old), out=mine), mine)
            self.same(out, wanted(a, b))

    def test_of_a_gpu(self):
        class OnGpu:
            __cuda_array_interface__ = {}

        with self.assertRaisesRegex(ValueError, "b: __cuda_array_interface__: found another 'typestr'"):
            gradus.matmul(np.ones((3, 3)), OnGpu())

    def test_buffers(self):
        self.same(gradus.matmul(memoryview(whole(2, 3)), np.ones((3, 2))).shape, (2, 2))


class Overlaps(Compared):
    def test_a_place_twice_in_out(self):
        """What NumPy's assignment leaves in such an out is left in it."""
        a, b = whole(4, 2, 3), whole(4, 3, 2)
        out = np.lib.stride_tricks.as_strided(np.zeros(4), (4, 2, 2), (0, 16, 8))
        gradus.matmul(a, b, out=out)
        self.same(out[0], wanted(a[3], b[3]))

    def test_repeated_operands(self):
        a = np.broadcast_to(whole(5), (300, 5))
        self.check(a, np.ascontiguousarray(a.T))

    def test_no_reference_is_lost(self):
        a, out = np.ones((3, 3)), np.ones((3, 3))
        before = [sys.getrefcount(x) for x in (a, out, None)]
        for _ in range(1000):
            gradus.matmul(a, a)
            gradus.matmul(a, a, out=out)
            gradus.matmul(Foreign(a), a, out=Foreign(out))
            try:
                gradus.matmul(a, a[:2], out=out)
            except ValueError:
                pass
        for x, count in zip((a, out, None), before):
            self.assertLess(abs(sys.getrefcount(x) - count), 900)


class Refusals(unittest.TestCase):
    def refused(self, kind, text, *operands, **options):
        with self.assertRaises(kind) as caught:
            gradus.matmul(*operands, **options)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def as_numpy(self, text, a, b, **options):
        """What NumPy refuses is refused with its type of error."""
        with self.assertRaises(Exception) as numpys:
            np.matmul(a, b, **options)
        ours = self.refused(Exception, text, a, b, **options)
        self.assertIsInstance(ours, (TypeError, ValueError))
        self.assertIsInstance(numpys.exception, type(ours))

    def test_shapes(self):
        a = np.ones((3, 4))
        self.as_numpy("4 columns and b 3 rows", a, a)
        self.as_numpy("broadcast", np.ones((2, 3, 4)), np.ones((3, 4, 5)))
        self.as_numpy("scalar", 1.0, a)
        self.as_numpy("scalar", a, np.float64(2))
        self.as_numpy("shape (3, 4), wanted (3, 3)", a, a.T, out=np.empty((3, 4)))
        self.as_numpy("4 columns and b 5 rows", np.ones(4), np.ones(5))
        once = np.ones(1)
        tall, deep = (np.lib.stride_tricks.as_strided(once, shape, (0,) * len(shape)) for shape in ((2**40, 1, 2, 2), (2**40, 2, 2)))
        self.refused(ValueError, "beyond all memory", tall, deep)
        self.refused(ValueError, "beyond all memory", Foreign(tall), Foreign(deep))

    def test_dtypes(self):
        a = np.ones((3, 3))
        self.refused(TypeError, "dtype complex128", a, a.astype("c16"))
        self.refused(TypeError, "a: found dtype int64", a.astype("i8"), a)
        self.refused(TypeError, "dtype bool", a, a.astype("?"))
        self.refused(TypeError, "dtypes float64 and int8", a, a.astype("i1"))
        self.as_numpy("dtype <U1", a, np.full((3, 3), "x"))
        self.as_numpy("dtype int32", a, a, out=np.empty((3, 3), "i4"))
        self.refused(TypeError, "dtype float32, wanted float64", a, a, out=np.empty((3, 3), "f4"))
        self.as_numpy("list", a, a, out=[[0.0] * 3] * 3)

    def test_others(self):
        a = np.ones((3, 3))
        frozen = np.empty((3, 3))
        frozen.flags.writeable = False
        self.as_numpy("read-only", a, a, out=frozen)
        self.refused(ValueError, "beta", a, a, beta=1)
        self.refused(ValueError, "trans_a", a[0], a, trans_a=True)
        self.refused(ValueError, "threads", a, a, threads=-1)
        self.refused(ValueError, "threads", a, a, threads=1.5)
        for bad in ("x", 1j, None):
            with self.assertRaises(TypeError):
                gradus.matmul(a, a, alpha=bad)

    def test_the_librarys_own_line(self):
        a = np.ones((3, 3), "i1")
        self.refused((ValueError, NotImplementedError), "activation", a, a, activation="gelu")

    def test_arguments(self):
        a = np.ones((3, 3))
        self.refused(TypeError, "'b' is missing", a)
        self.refused(TypeError, "no argument 'c'", a, a, c=1)
        self.refused(TypeError, "'b' was given twice", a, a, b=a)
        self.refused(TypeError, "13 arguments", *[a] * 13)


class Threads(unittest.TestCase):
    def test_setter(self):
        self.assertEqual(gradus.set_threads(3), 0)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(gradus.set_threads(2)))
        thread.start()
        thread.join()
        self.assertEqual(seen, [0])  # each thread has its own
        self.assertEqual(gradus.set_threads(0), 3)
        with self.assertRaises(ValueError):
            gradus.set_threads(-2)


class Library(unittest.TestCase):
    def test_version(self):
        self.assertRegex(gradus.version(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(gradus.version(), gradus.__version__)
        self.assertTrue(os.path.exists(gradus.library()))

    def test_no_library(self):
        for path, text in (("/nowhere/libgradus.so", "/nowhere/libgradus.so"), ("/bin/sh", "/bin/sh")):
            done = subprocess.run([sys.executable, "-c", "import gradus"], capture_output=True, text=True,
                                  env=dict(os.environ, GRADUS_LIBRARY=path))
            self.assertEqual(done.returncode, 1)
            self.assertIn("ImportError: gradus: cannot load", done.stderr)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    for test, reason in result.skipped:
        print(f"skip: {reason}")
    sys.exit(not result.wasSuccessful())
