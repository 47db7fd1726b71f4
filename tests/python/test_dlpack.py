"""test_dlpack.py: arrays that are not NumPy's, in a Python where NumPy is not imported. SPDX-License-Identifier: MIT"""
import sys
import unittest

from foreign_array import Plain

import gradus

A = Plain([1, 2, 3, 4, 5, 6], (2, 3))
B = Plain([1, 0, 0, 1, 1, 1], (3, 2))


class Plainly(unittest.TestCase):
    def test_products(self):
        self.assertEqual(gradus.matmul(A, B), ([4, 5, 10, 11], [2, 2]))
        self.assertEqual(gradus.matmul(A, A, trans_b=True, alpha=2), ([28, 64, 64, 154], [2, 2]))
        self.assertEqual(gradus.matmul(Plain([1, 2], (2,)), A), ([9, 12, 15], [3]))
        self.assertEqual(gradus.matmul(Plain([1, 2], (2,)), Plain([3, 4], (2,))), ([11], []))
        self.assertEqual(gradus.matmul(Plain([], (0, 3)), B), ([], [0, 2]))
        self.assertEqual(gradus.matmul(Plain([], (2, 0)), Plain([], (0, 2))), ([0, 0, 0, 0], [2, 2]))

    def test_steps_and_offsets(self):
        turned = Plain([0, 1, 4, 2, 5, 3, 6], (2, 3), step=(1, 2), offset=8)
        self.assertEqual(gradus.matmul(turned, B), ([4, 5, 10, 11], [2, 2]))
        backwards = Plain([6, 5, 4, 3, 2, 1], (2, 3), step=(-3, -1), offset=40)
        self.assertEqual(gradus.matmul(backwards, B), ([4, 5, 10, 11], [2, 2]))
        same = Plain([1, 2, 3], (2, 3), step=(0, 1))
        self.assertEqual(gradus.matmul(same, B), ([4, 5, 4, 5], [2, 2]))

    def test_out(self):
        for version in (None, (1, 3)):
            out = Plain([float("nan")] * 4, (2, 2), version=version)
            self.assertIs(gradus.matmul(A, B, out=out), out)
            self.assertEqual(out.memory[:], [4, 5, 10, 11])

    def test_out_stays_as_it_was(self):
        def left(kind, text, *operands, **options):
            with self.assertRaises(kind) as caught:
                gradus.matmul(*operands, **options)
            self.assertIn(text, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
            self.assertEqual(options["out"].memory[:], [1, 2, 3, 4])

        def out(**options):
            return Plain([1, 2, 3, 4], (2, 2), **options)

        left(ValueError, "read-only", A, B, out=out(version=(1, 0), flags=1))
        left(NotImplementedError, "out: found an array of DLPack 2", A, B, out=out(version=(2, 0)))
        left(TypeError, "out: found dtype", A, B, out=out(bits=16))
        left(ValueError, "columns and b", B, B, out=out())
        left(ValueError, "out: found an array on GPU 1, wanted one in the host's memory", A, B, out=out(device=(2, 1)))
        left(ValueError, "b: found an array on GPU 3, wanted one in the host's memory", A, Plain([1] * 6, (3, 2), device=(2, 3)),
             out=out())
        left(NotImplementedError, "a: found <class 'foreign_array.Plain'> on a GPU, whose library's current stream is not known",
             Plain([1] * 6, (2, 3), device=(2, 3)), B, out=out())
        left(NotImplementedError, "a: found an array on a ROCm device", Plain([1] * 6, (2, 3), device=(10, 0)), B, out=out())
        left(TypeError, "a: found dtype", Plain([1] * 6, (2, 3), lanes=2), B, out=out())
        left(TypeError, "b: found dtype", A, Plain([1] * 6, (3, 2), code=5), out=out())
        left(ValueError, "bias: found shape (3,)", A, B, out=out(), bias=Plain([1, 2, 3], (3,)))
        left(ValueError, "activation: found 'tanh'", A, B, out=out(), activation="tanh")

    def test_bias_and_activation(self):
        self.assertEqual(gradus.matmul(A, B, bias=Plain([-5, 1], (2,)), activation="relu"), ([0, 6, 5, 12], [2, 2]))
        self.assertEqual(gradus.matmul(A, B, bias=Plain([-5, 1], (2, 1)), activation="relu"), ([0, 0, 11, 12], [2, 2]))

    def test_no_numpy(self):
        self.assertNotIn("numpy", sys.modules)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False, verbosity=0).result.wasSuccessful())
