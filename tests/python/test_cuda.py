"""test_cuda.py: arrays on a GPU, with device_recorder.c in the library's place (GRADUS_LIBRARY) and the fake driver's memory.
SPDX-License-Identifier: MIT"""
import ctypes
import os
import unittest

import numpy as np

import fake_gpu
import gradus
from fake_gpu import LEGACY, OTHER, THIRD, CupyArray, Tensor_, WithInterface, state

recorder = ctypes.CDLL(os.environ["GRADUS_LIBRARY"])
_cells = (ctypes.c_int64 * 12).in_dll(recorder, "recorded")
_wanted, _status = (ctypes.c_int64.in_dll(recorder, name) for name in ("workspace_wanted", "status_wanted"))
NAMES = "device", "math", "stream", "batch", "stride_a", "stride_b", "stride_c", "workspace", "arrays", "a_type", "c_type", "calls"
KINDS = CupyArray, Tensor_
rng = np.random.default_rng(5)


def last():
    return dict(zip(NAMES, _cells))


def numbers(*shape, dtype="f4"):
    return rng.standard_normal(shape).astype(dtype)


class OnGpu(unittest.TestCase):
    def setUp(self):
        state.update(stream={0: OTHER, 1: OTHER}, asked=[], device=0)
        _wanted.value = _status.value = 0

    def tearDown(self):
        self.assertEqual(state["live"], 0)  # each DLPack tensor was freed, and none twice
        for what in ("sync", "copy"):
            self.assertEqual(fake_gpu.calls(what), 0)

    def near(self, got, want):
        got = got.view if isinstance(got, fake_gpu.GpuArray) else got
        self.assertEqual(got.shape, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-4 if got.dtype == np.float32 else 1e-12, atol=1e-4 if got.dtype == np.float32 else 1e-12)

    def refused(self, kind, text, *operands, **options):
        calls = last()["calls"]
        with self.assertRaises(kind) as caught:
            gradus.matmul(*operands, **options)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(last()["calls"], calls)

    def test_values(self):
        for kind in KINDS:
            for dtype in ("f4", "f8"):
                a, b = kind(numbers(7, 5, dtype=dtype)), kind(numbers(5, 9, dtype=dtype))
                want = a.view.astype("f8") @ b.view.astype("f8")
                c = gradus.matmul(a, b)
                self.assertIs(type(c), kind)
                self.near(c, want)
                self.assertEqual((last()["device"], last()["stream"]), (1, OTHER))
                self.near(gradus.matmul(b.T, a.T), want.T)
                self.near(gradus.matmul(a, b, trans_a=False, alpha=-2), -2 * want)
                self.near(gradus.matmul(b, a, trans_a=True, trans_b=True), want.T)
                out = kind(numbers(9, 7, dtype=dtype)).T
                before = out.view.astype("f8")
                self.assertIs(gradus.matmul(a, b, out=out, beta=0.5), out)
                self.near(out, want + 0.5 * before)

    def test_views_and_offsets(self):
        for kind in KINDS:
            whole = kind(numbers(20, 30))
            a, b, out = whole[3:10, 1:12], whole[5:16, 13:20], whole[10:17, 21:28]
            want = a.view.astype("f8") @ b.view.astype("f8")
            rest = whole.view.copy()
            gradus.matmul(a, b, out=out)
            self.near(out, want)
            rest[10:17, 21:28] = out.view
            np.testing.assert_array_equal(whole.view, rest)
            vector = kind(numbers(44))[::4]
            self.near(gradus.matmul(a, vector), a.view.astype("f8") @ vector.view)
            self.near(gradus.matmul(vector[:7], a), vector.view[:7].astype("f8") @ a.view)

    def test_batches(self):
        for kind in KINDS:
            a, b = kind(numbers(6, 4, 5)), kind(numbers(5, 3))
            self.near(gradus.matmul(a, b), a.view.astype("f8") @ b.view)
            self.assertEqual([last()[x] for x in ("batch", "stride_a", "stride_b", "stride_c", "arrays")], [6, 20, 0, 12, 0])
            a, b = kind(numbers(2, 3, 4, 5)), kind(numbers(2, 1, 5, 3))  # of no one stride
            self.near(gradus.matmul(a, b), a.view.astype("f8") @ b.view)
            self.assertEqual((last()["batch"], last()["arrays"]), (6, 1))
            a = kind(numbers(4, 3, 5))
            a = a._of(a.view.transpose(1, 0, 2))  # the stack in the middle
            self.near(gradus.matmul(a, b[0, 0]), a.view.astype("f8") @ b.view[0, 0])
            self.assertEqual((last()["stride_a"], last()["arrays"]), (5, 0))
            stack = kind(numbers(2, 3, 5, 5))
            self.refused(ValueError, "out: found memory in common with a", stack, kind(numbers(2, 1, 5, 5)), out=stack)

    def test_zero_sizes(self):
        for kind in KINDS:
            for m, n, k in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
                self.near(gradus.matmul(kind(numbers(m, k)), kind(numbers(k, n))), np.zeros((m, n)))
            self.assertEqual(gradus.matmul(kind(numbers(0, 3, 2)), kind(numbers(2, 4))).shape, (0, 3, 4))
        out = WithInterface(numbers(3, 2))
        gradus.matmul(WithInterface(numbers(3, 0)), WithInterface(numbers(0, 2)), out=out)
        self.near(out, np.zeros((3, 2)))

    def test_epilogue_and_math(self):
        for kind in KINDS:
            a, b, bias = kind(numbers(4, 5)), kind(numbers(5, 6)), kind(numbers(6))
            x = a.view.astype("f8") @ b.view + bias.view
            self.near(gradus.matmul(a, b, bias=bias, activation="relu", math="scaled"), np.maximum(x, 0))
            self.assertEqual(last()["math"], 3)
            tanh = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
            self.near(gradus.matmul(a, b, bias=bias, activation="gelu_tanh"), tanh)
            rows = kind(numbers(4, 1))
            self.near(gradus.matmul(a, b, bias=rows), a.view.astype("f8") @ b.view + rows.view)
            for i, name in enumerate((None, "default", "ieee", "accurate", "scaled", "tf32")):
                gradus.matmul(a, b, math=name)
                self.assertEqual(last()["math"], max(0, i - 1))
        self.refused(ValueError, "math: found 'fast', wanted None, 'default', 'ieee', 'accurate', 'scaled' or 'tf32'", a, b, math="fast")

    def test_halves(self):
        for kind in KINDS:
            a, b = (kind(numbers(3, 3, dtype="f2")) for _ in "ab")
            self.assertEqual(gradus.matmul(a, b).dtype, "float32")
            self.assertEqual((last()["a_type"], last()["c_type"]), (6, 0))
            gradus.matmul(a, b, out=kind(numbers(3, 3, dtype="f2")))
            self.assertEqual((last()["a_type"], last()["c_type"]), (6, 6))
            x = kind(np.full((2, 2), 0x3F80, "u2"), dtype="bfloat16")  # ones
            self.near(gradus.matmul(x, x), np.full((2, 2), 2.0))
            self.refused(TypeError, "out: found dtype float16, wanted float32 or bfloat16", x, x, out=kind(numbers(2, 2, dtype="f2")))

    def test_streams(self):
        a, b = (CupyArray(numbers(3, 3)) for _ in "ab")
        gradus.matmul(a, b)
        self.assertEqual(state["asked"][:2], [-1, -1])  # ready on the library's own stream
        state["asked"].clear()
        c = gradus.matmul(a, b, stream=THIRD)
        self.assertEqual(state["asked"], [THIRD, THIRD, -1])
        self.assertEqual((last()["stream"], c.made_on), (THIRD, THIRD))
        state["stream"] = {0: LEGACY, 1: LEGACY}
        gradus.matmul(a, b)
        self.assertEqual(last()["stream"], 0)
        gradus.matmul(a, b, stream=0)
        self.assertEqual(state["asked"][-3:], [1, 1, -1])  # DLPack's number
        gradus.matmul(a, b, stream=fake_gpu.cupy.cuda.ExternalStream(THIRD))
        self.assertEqual(last()["stream"], THIRD)
        self.refused(TypeError, "stream: found 'x', wanted a stream", a, b, stream="x")
        self.refused(ValueError, "stream: found one for an array in the host's memory", a.view, b.view, stream=THIRD)

    def test_streams_of_functions(self):
        a, b, out = (Tensor_(numbers(3, 3)) for _ in "abc")
        waits = fake_gpu.calls("wait")
        gradus.matmul(a, b)
        self.assertEqual((last()["stream"], state["made_on"]), (OTHER, (2, 0)))
        gradus.matmul(a, b, out=out)
        self.assertIs(state["written"], out)
        self.assertEqual(fake_gpu.calls("wait"), waits)
        c = gradus.matmul(a, b, stream=THIRD)  # which waits for what the library queued
        self.assertEqual((last()["stream"], c.made_on), (THIRD, THIRD))
        self.assertEqual(fake_gpu.calls("wait"), waits + 2)
        state["stream"] = {0: LEGACY, 1: LEGACY}
        gradus.matmul(a, b, stream=1, out=out)
        self.assertEqual(fake_gpu.calls("wait"), waits + 2)  # the same stream

    def test_mixed_libraries(self):
        a, b = Tensor_(numbers(3, 3)), CupyArray(numbers(3, 3))
        self.near(gradus.matmul(a, b), a.view.astype("f8") @ b.view)
        self.assertEqual(state["asked"], [OTHER])  # b is made ready for a's stream

    def test_interface(self):
        a, b, out = WithInterface(numbers(4, 5)), WithInterface(numbers(6, 5)).T, WithInterface(numbers(4, 6))
        waits = fake_gpu.calls("wait")
        gradus.matmul(a, b, out=out)
        self.near(out, a.view.astype("f8") @ b.view)
        self.assertEqual(last()["stream"], 0)
        a.stream = THIRD  # the first says where
        gradus.matmul(a, b, out=out)
        self.assertEqual((last()["stream"], fake_gpu.calls("wait")), (THIRD, waits))
        b.stream = OTHER
        gradus.matmul(a, b, out=out)
        self.assertEqual((last()["stream"], fake_gpu.calls("wait")), (THIRD, waits + 1))
        self.refused(TypeError, "cannot be made on a GPU here: give out", a, b)
        out.view.flags.writeable = False
        self.refused(ValueError, "out: found a read-only array", a, b, out=out)
        for changes in ({"shape": (4,), "strides": (4, 4)}, {"typestr": 4}, {"data": 5}, {"stream": 0}, {"mask": a}, {"shape": (-1, 5)}, {"shape": 4}):
            a.changes = changes
            self.refused(ValueError, "a: __cuda_array_interface__: found another", a, b, out=out)
        a.changes = {"typestr": ">f4"}
        self.refused(TypeError, "a: found dtype", a, b, out=out)
        self.refused(RuntimeError, "a: asking whose memory it is: the driver returned error 1", WithInterface(None, view=numbers(4, 5)), b, out=out)

    def test_refusals(self):
        for kind in KINDS:
            a, b = kind(numbers(4, 4)), kind(numbers(4, 4))
            self.refused(ValueError, "b: found an array in the host's memory, wanted one on GPU 0", a, b.view)
            self.refused(ValueError, "b: found an array on GPU 0, wanted one in the host's memory", a.view, b)
            self.refused(ValueError, "b: found an array on GPU 1, wanted one on GPU 0", a, kind(numbers(4, 4), 1))
            self.refused(ValueError, "bias: found an array in the host's memory", a, b, bias=numbers(4))
            self.refused(TypeError, "found dtypes float32 and float64 on a GPU, wanted the same", a, kind(numbers(4, 4, dtype="f8")))
            self.refused(TypeError, "a: found dtype int8 on a GPU, wanted float32, float64, bfloat16 or float16", kind(np.ones((4, 4), "i1")), b)
            self.refused(ValueError, "a: found strides with neither rows nor columns that lie together", a[::2, ::2], b[:2])
            self.refused(ValueError, "out: found strides", a, b, out=kind(numbers(8, 8))[::2, ::2])
            self.refused(ValueError, "bias: found strides", a, b, bias=kind(numbers(8))[::2])
            self.refused(ValueError, "beta: found a number other than 0 without out", a, b, beta=1)
            fixed = kind(numbers(4, 4))
            fixed.view.flags.writeable = False
            self.refused(ValueError, "out: found a read-only array", a, b, out=fixed)
        old = CupyArray(numbers(4, 4))
        old.old = True
        self.near(gradus.matmul(old, b), old.view.astype("f8") @ b.view)

    def test_library_fails(self):
        for kind in KINDS:
            a, b = kind(numbers(4, 4)), kind(numbers(4, 4))
            _status.value = 3
            with self.assertRaises(NotImplementedError):
                gradus.matmul(a, b)
            with self.assertRaises(NotImplementedError):
                gradus.matmul(a, b, out=kind(numbers(4, 4)))
            _status.value = 0

    def test_captures(self):
        stream = fake_gpu.new_stream()
        state["stream"] = {0: stream, 1: stream}
        for kind in KINDS:
            a, b = kind(numbers(4, 4)), kind(numbers(4, 4))
            _wanted.value = 1000
            gradus.matmul(a, b)
            self.assertEqual(last()["workspace"], 0)
            fake_gpu.driver.cuStreamBeginCapture_v2(ctypes.c_void_p(stream), 0)
            gradus.matmul(a, b)  # the graph gets memory of the array's library
            self.assertEqual((last()["workspace"], state["last_made"]), (1000, ((250,), stream)))
            _wanted.value = 0
            gradus.matmul(a, b)
            self.assertEqual(last()["workspace"], 0)
            _wanted.value = -1
            with self.assertRaises(NotImplementedError):
                gradus.matmul(a, b)
            graph = ctypes.c_void_p()
            fake_gpu.driver.cuStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph))


if __name__ == "__main__":
    unittest.main()
