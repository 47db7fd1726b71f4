"""torch.py: gradus.matmul as an operation of PyTorch, torch.ops.gradus.matmul, which torch.compile keeps and autograd
differentiates. It is imported by the user, or by the first tensor that requires a gradient. SPDX-License-Identifier: MIT"""
import torch

from ._gradus import matmul as _matmul

_RESULTS = {torch.float64: torch.float64, torch.int8: torch.int32, torch.uint8: torch.int32}


@torch.library.custom_op("gradus::matmul", mutates_args=(), device_types="cpu")
def matmul(a: torch.Tensor, b: torch.Tensor, alpha: float = 1.0, threads: int = 0) -> torch.Tensor:
    """alpha * a @ b, of tensors with numpy.matmul's shapes; threads: 0: set_threads' number."""
    return _matmul(a.detach(), b.detach(), alpha=alpha, threads=threads)


@matmul.register_fake
def _(a, b, alpha=1.0, threads=0):
    shape = torch.matmul(a.to(torch.float32), b.to(torch.float32)).shape
    kind = torch.float64 if b.dtype == torch.float64 else _RESULTS.get(a.dtype, torch.float32)
    return a.new_empty(shape, dtype=kind)


def _save(ctx, inputs, output):
    a, b, ctx.alpha, ctx.threads = inputs
    ctx.save_for_backward(a, b)


def _rows_and_columns(a, b, gradient):
    """The three as matrices: a vector is a row on the left and a column on the right."""
    if b.dim() == 1:
        gradient = gradient.unsqueeze(-1)
    if a.dim() == 1:
        gradient = gradient.unsqueeze(-2)
    return (a.unsqueeze(0) if a.dim() == 1 else a), (b.unsqueeze(1) if b.dim() == 1 else b), gradient


def _backward(context, gradient):
    """Both derivatives are products too; what was broadcast is added up."""
    a, b = context.saved_tensors
    left, right, gradient = _rows_and_columns(a, b, gradient)
    by_a = by_b = None
    if context.needs_input_grad[0]:
        product = matmul(gradient, right.transpose(-1, -2).to(gradient.dtype), context.alpha, context.threads)
        by_a = product.sum_to_size(left.shape).reshape(a.shape).to(a.dtype)
    if context.needs_input_grad[1]:
        product = matmul(left.transpose(-1, -2).to(gradient.dtype), gradient, context.alpha, context.threads)
        by_b = product.sum_to_size(right.shape).reshape(b.shape).to(b.dtype)
    return by_a, by_b, None, None


matmul.register_autograd(_backward, setup_context=_save)

_ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu}


def _without_gradients(options):
    """A call of gradus.matmul's whose tensors take no part in differentiation."""
    out = options.get("out")
    result = _matmul(**{name: x.detach() if isinstance(x, torch.Tensor) else x for name, x in options.items()})
    return result if out is None else out


def _operand(name, x, transposed):
    x = torch.as_tensor(x)
    if transposed and x.dim() < 2:
        raise ValueError(f"gradus.matmul: trans_{name}: {name} has one dimension, wanted two or more")
    return x.transpose(-1, -2) if transposed else x


def differentiated(**options):
    """gradus.matmul with tensors of which some require gradients."""
    if not torch.is_grad_enabled():
        return _without_gradients(options)
    if options.get("out") is not None or options.get("beta"):
        raise ValueError("gradus.matmul: out, beta: found tensors that require gradients, wanted no out, or torch.no_grad()")
    activation = options.get("activation")
    if activation not in _ACTIVATIONS:
        raise ValueError(f"gradus.matmul: activation: found {activation!r}, wanted None, 'relu' or 'gelu'")
    a, b = (_operand(name, options[name], options.get("trans_" + name)) for name in "ab")
    product = matmul(a, b, float(options.get("alpha", 1)), int(options.get("threads") or 0))
    if options.get("bias") is not None:
        product = product + torch.as_tensor(options["bias"])
    return _ACTIVATIONS[activation](product)
