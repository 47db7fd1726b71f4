"""test_torch.py: gradus.matmul with PyTorch's tensors, and its derivatives. Elements are small whole numbers, so that products are
exact. SPDX-License-Identifier: MIT
"""
import sys
import unittest

import torch

import gradus
import gradus.torch

torch.manual_seed(1)


def whole(*shape, dtype=torch.float64):
    return torch.randint(0 if dtype == torch.uint8 else -8, 9, shape).to(dtype)


def leaf(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


PAIRS = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (4,)),
         ((0, 4), (4, 2)), ((3, 0), (0, 2))]


class Products(unittest.TestCase):
    def same(self, found, right):
        self.assertIsInstance(found, torch.Tensor)
        self.assertEqual((found.shape, found.dtype), (right.shape, right.dtype))
        self.assertTrue(torch.equal(found, right))

    def test_shapes(self):
        for dtype in (torch.float32, torch.float64):
            for left, right in PAIRS:
                a, b = whole(*left, dtype=dtype), whole(*right, dtype=dtype)
                self.same(gradus.matmul(a, b), a @ b)

    def test_views(self):
        x, y = whole(30, 40), whole(40, 30)
        for a, b in ((x.T, x), (x[::2, 3:17], y[5:19, ::3]), (x[:1].expand(9, 40), y), (x.T[::3], x[:, 1:2]), (x[2:3, ::7], y[:6])):
            self.same(gradus.matmul(a, b), a @ b)

    def test_out(self):
        a, b = whole(6, 5), whole(5, 4)
        for out in (torch.full((6, 4), torch.nan).double(), torch.full((12, 8), torch.nan).double()[::2, ::2], torch.zeros(4, 6).double().T):
            out.nan_to_num_(7)
            right = 2 * (a @ b) - out
            self.assertIs(gradus.matmul(a, b, out=out, alpha=2, beta=-1), out)
            self.same(out, right)
        square = whole(5, 5)
        right = square @ square
        self.same(gradus.matmul(square, square, out=square), right)

    def test_narrow(self):
        a, b = whole(9, 40, dtype=torch.bfloat16), whole(40, 5, dtype=torch.bfloat16)
        self.same(gradus.matmul(a, b), a.float() @ b.float())
        self.same(gradus.matmul(a, b, out=torch.empty(9, 5, dtype=torch.bfloat16)), (a.float() @ b.float()).bfloat16())
        for left in (torch.int8, torch.uint8):
            a, b = whole(9, 40, dtype=left), whole(40, 5, dtype=torch.int8)
            self.same(gradus.matmul(a, b), (a.double() @ b.double()).int())

    def test_refusals(self):
        a = whole(3, 3)
        for kind, text, operands, options in (
            (TypeError, "dtype torch.float16", (a, a.half()), {}),
            (TypeError, "dtype torch.complex128", (a * 1j, a), {}),
            (ValueError, "3 columns and b 2 rows", (a, a[:2]), {}),
            (TypeError, "out: found dtype torch.float32", (a, a), {"out": torch.zeros(3, 3)}),
            (ValueError, "out: found shape (3, 2)", (a, a), {"out": torch.zeros(3, 2).double()}),
        ):
            with self.assertRaises(kind) as caught:
                gradus.matmul(*operands, **options)
            self.assertIn(text, str(caught.exception))
        for nowhere in (torch.empty(3, 3, device="meta"), a.to_sparse()):
            with self.assertRaises(Exception) as caught:
                gradus.matmul(a, nowhere)
            self.assertNotIn("\n", str(caught.exception))

    def test_memory_outlives_the_call(self):
        products = [gradus.matmul(whole(50, 50), whole(50, 50)) for _ in range(20)]
        copies = [x.clone() for x in products]
        for x, y in zip(products, copies):
            self.same(x, y)


class Gradients(unittest.TestCase):
    def test_against_differences(self):
        for left, right in PAIRS:
            a, b = leaf(*left), leaf(*right)
            self.assertTrue(torch.autograd.gradcheck(lambda a, b: gradus.matmul(a, b, alpha=-1.5), (a, b)), (left, right))
        self.assertTrue(torch.autograd.gradgradcheck(gradus.matmul, (leaf(2, 3, 4), leaf(4, 2))))

    def test_one_of_two(self):
        a, b = leaf(3, 4), torch.ones(4, 2, dtype=torch.float64)
        gradus.matmul(b, a, trans_a=True, trans_b=True).sum().backward()
        self.assertTrue(torch.equal(a.grad, torch.full((3, 4), 2.0, dtype=torch.float64)))

    def test_bias_and_activation(self):
        for activation, function in ((None, lambda x: x), ("relu", torch.relu), ("gelu", torch.nn.functional.gelu)):
            a, b, bias = leaf(3, 4), leaf(4, 5), leaf(5)
            found = gradus.matmul(a, b, bias=bias, activation=activation)
            right = function(a @ b + bias)
            self.assertTrue(torch.allclose(found, right, rtol=1e-12))
            grads = torch.autograd.grad(found.sum(), (a, b, bias))
            for x, y in zip(grads, torch.autograd.grad(right.sum(), (a, b, bias))):
                self.assertTrue(torch.allclose(x, y, rtol=1e-12))
            with torch.no_grad():
                alone = gradus.matmul(a, b, bias=bias, activation=activation)
            self.assertFalse(alone.requires_grad)
            self.assertTrue(torch.allclose(alone, found, rtol=1e-12))

    def test_bfloat16(self):
        a = torch.randn(6, 4).bfloat16().requires_grad_()
        b = torch.randn(4, 3).bfloat16().requires_grad_()
        gradus.matmul(a, b).sum().backward()
        self.assertEqual((a.grad.dtype, b.grad.shape), (torch.bfloat16, b.shape))

    def test_out_has_none(self):
        a, out = leaf(3, 3), torch.zeros(3, 3, dtype=torch.float64)
        with self.assertRaisesRegex(ValueError, "no out, or torch.no_grad"):
            gradus.matmul(a, a, out=out)
        self.assertTrue((out == 0).all())
        with torch.no_grad():
            self.assertIs(gradus.matmul(a, a, out=out), out)

    def test_an_out_that_was_saved(self):
        """A tensor that backward needs and that was overwritten since is noticed."""
        x, saved = leaf(3, 3), torch.ones(3, 3, dtype=torch.float64)
        product = x * saved
        gradus.matmul(saved, saved, out=saved)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            product.sum().backward()


class Operation(unittest.TestCase):
    def test_is_registered_well(self):
        for a, b in ((leaf(3, 4), leaf(4, 5)), (leaf(2, 3, 4), leaf(4)), (torch.randn(3, 4), torch.randn(4, 5))):
            torch.library.opcheck(torch.ops.gradus.matmul, (a, b, 2.0))

    def test_compiles_whole(self):
        @torch.compile(backend="aot_eager", fullgraph=True)
        def layer(x, w):
            return torch.relu(torch.ops.gradus.matmul(x, w))

        x, w = leaf(3, 4), leaf(4, 5)
        layer(x, w).sum().backward()
        right = torch.autograd.grad(torch.relu(x @ w).sum(), (x, w))
        self.assertTrue(torch.allclose(x.grad, right[0]) and torch.allclose(w.grad, right[1]))


if __name__ == "__main__":
    print("PyTorch", torch.__version__)
    sys.exit(not unittest.main(exit=False, verbosity=0).result.wasSuccessful())
