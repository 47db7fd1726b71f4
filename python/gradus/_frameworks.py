"""_frameworks.py: hands products over to the library of their operands, other than NumPy. SPDX-License-Identifier: MIT"""
import contextlib
import sys


class _Made:
    """What from_dlpack takes: the capsule of memory that the module made."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0  # the host


def _is_of(name, kind, array):
    """Is it an array of that library? False where nobody has imported it. The library, else."""
    module = sys.modules.get(name)
    return module if module is not None and isinstance(array, getattr(module, kind, ())) else None


def wrap(like, capsule):
    """The memory as an array of the library of `like`."""
    torch = _is_of("torch", "Tensor", like)
    if torch:
        return torch.from_dlpack(capsule)
    namespace = getattr(like, "__array_namespace__", None)
    if namespace is None:
        raise TypeError(f"gradus.matmul: out: {type(like)} names no library to make the product with (__array_namespace__): give out")
    return namespace().from_dlpack(_Made(capsule))


def written(out):
    """Tells PyTorch that a tensor has other elements now, so that it computes no gradient with those of before."""
    torch = _is_of("torch", "Tensor", out)
    if torch:
        torch.autograd.graph.increment_version(out)


def current_stream(array, name, device):
    """The address of the stream on which the array's library computes now."""
    torch, cupy = _is_of("torch", "Tensor", array), _is_of("cupy", "ndarray", array)
    if torch:
        return torch.cuda.current_stream(device).cuda_stream
    if cupy:
        with cupy.cuda.Device(device):
            return cupy.cuda.get_current_stream().ptr
    raise NotImplementedError(
        f"gradus.matmul: {name}: found {type(array)} on a GPU, whose library's current stream is not known, wanted a tensor of PyTorch "
        "or an array of CuPy, or a stream"
    )


def _on_stream(library, kind, stream):
    """Memory that is made in this context belongs to the stream."""
    return contextlib.nullcontext() if stream is None else kind(library.cuda.ExternalStream(stream))


def empty(like, shape, dtype, device, stream):
    """A new array of the library of `like` on the GPU, for a stream that the caller gave, or for the current one (None)."""
    torch, cupy = _is_of("torch", "Tensor", like), _is_of("cupy", "ndarray", like)
    if torch:
        with _on_stream(torch, torch.cuda.stream, stream):
            return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    if cupy:
        with cupy.cuda.Device(device), _on_stream(cupy, lambda external: external, stream):
            return cupy.empty(shape, dtype=dtype)
    raise TypeError(f"gradus.matmul: out: arrays of {type(like)} cannot be made on a GPU here: give out")
