"""torch.py: gradus.matmul as an operation of PyTorch, torch.ops.gradus.matmul, which torch.compile keeps and autograd
differentiates. It is imported by the user, or by the first tensor that requires a gradient. SPDX-License-Identifier: MIT"""
import contextlib

import torch

from ._gradus import matmul as _matmul


def _lie_together(length, step, lines, apart):
    return (length <= 1 or step == 1) and (lines <= 1 or apart >= max(length, 1))


def _readable(x):
    """The tensor, or on a GPU a copy if neither its rows nor its columns lie together, as those of an expanded gradient."""
    if x.device.type != "cuda" or x.dim() == 0 or x.numel() == 0:
        return x
    m, n = (1, *x.shape)[-2:]
    row, column = (0, *x.stride())[-2:]
    return x if _lie_together(n, column, m, row) or _lie_together(m, row, n, column) else x.contiguous()


_RESULTS = {torch.float64: torch.float64, torch.int8: torch.int32, torch.uint8: torch.int32}


@torch.library.custom_op("gradus::matmul", mutates_args=(), device_types=("cpu", "cuda"))
def matmul(a: torch.Tensor, b: torch.Tensor, alpha: float = 1.0, threads: int = 0, math: str = "default") -> torch.Tensor:
    """alpha * a @ b, of tensors with numpy.matmul's shapes; threads: 0: set_threads' number; math: of floats on a GPU."""
    return _matmul(_readable(a.detach()), _readable(b.detach()), alpha=alpha, threads=threads, math=math)


@matmul.register_fake
def _(a, b, alpha=1.0, threads=0, math="default"):
    shape = torch.matmul(a.to(torch.float32), b.to(torch.float32)).shape
    kind = torch.float64 if b.dtype == torch.float64 else _RESULTS.get(a.dtype, torch.float32)
    return a.new_empty(shape, dtype=kind)


def _save(ctx, inputs, output):
    a, b, ctx.alpha, ctx.threads, ctx.math = inputs
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
        product = matmul(gradient, right.transpose(-1, -2).to(gradient.dtype), context.alpha, context.threads, context.math)
        by_a = product.sum_to_size(left.shape).reshape(a.shape).to(a.dtype)
    if context.needs_input_grad[1]:
        product = matmul(left.transpose(-1, -2).to(gradient.dtype), gradient, context.alpha, context.threads, context.math)
        by_b = product.sum_to_size(right.shape).reshape(b.shape).to(b.dtype)
    return by_a, by_b, None, None, None


matmul.register_autograd(_backward, setup_context=_save)

_ACTIVATIONS = {None: lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu,
                "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}


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


def _on(stream, a):
    """PyTorch's context in which a stream is the current one."""
    if stream is None:
        return contextlib.nullcontext()
    if a.device.type != "cuda":
        raise ValueError("gradus.matmul: stream: found one for an array in the host's memory, wanted None, or arrays on a GPU")
    return torch.cuda.stream(stream if isinstance(stream, torch.cuda.Stream) else torch.cuda.ExternalStream(int(getattr(stream, "ptr", stream))))


def differentiated(**options):
    """gradus.matmul with tensors of which some require gradients."""
    if not torch.is_grad_enabled():
        return _without_gradients(options)
    if options.get("out") is not None or options.get("beta"):
        raise ValueError("gradus.matmul: out, beta: found tensors that require gradients, wanted no out, or torch.no_grad()")
    activation = options.get("activation")
    if activation not in _ACTIVATIONS:
        raise ValueError(f"gradus.matmul: activation: found {activation!r}, wanted None, 'relu', 'gelu' or 'gelu_tanh'")
    a, b = (_operand(name, options[name], options.get("trans_" + name)) for name in "ab")
    with _on(options.get("stream"), a):
        product = matmul(a, b, float(options.get("alpha", 1)), int(options.get("threads") or 0), options.get("math") or "default")
        if options.get("bias") is not None:
            product = product + torch.as_tensor(options["bias"])
        return _ACTIVATIONS[activation](product)
