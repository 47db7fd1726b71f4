"""_frameworks.py: hands products over to the library of their operands, other than NumPy. SPDX-License-Identifier: MIT"""
import sys


class _Made:
    """What from_dlpack takes: the capsule of memory that the module made."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0  # the host


def wrap(like, capsule):
    """The memory as an array of the library of `like`."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor):
        return torch.from_dlpack(capsule)
    namespace = getattr(like, "__array_namespace__", None)
    if namespace is None:
        raise TypeError(f"gradus.matmul: out: {type(like)} names no library to make the product with (__array_namespace__): give out")
    return namespace().from_dlpack(_Made(capsule))


def written(out):
    """Tells PyTorch that a tensor has other elements now, so that it computes no gradient with those of before."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(out, torch.Tensor):
        torch.autograd.graph.increment_version(out)
