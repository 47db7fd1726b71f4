"""foreign_array.py: arrays of a library that Gradus has never heard of: Foreign wraps NumPy's, Plain is written without NumPy, and
can lie about itself. SPDX-License-Identifier: MIT
"""
import ctypes
from types import SimpleNamespace


class Foreign:
    """A NumPy array that shows its DLPack interface only. It is of the version that NumPy makes, or with old=True of the one before
    versions."""

    def __init__(self, array, old=False):
        self.array, self.old = array, old

    def __dlpack__(self, **options):
        if self.old and options:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        import numpy

        return SimpleNamespace(from_dlpack=lambda made: Foreign(numpy.from_dlpack(made)))


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("dims", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("step", ctypes.c_void_p),
                ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Plain:
    """float64 in C's order, or with steps (in elements) from `offset` bytes on. version: of the capsule; None: before versions."""

    def __init__(self, values, shape, step=None, offset=0, device=(1, 0), code=2, bits=64, lanes=1, version=None, flags=0):
        self.memory = (ctypes.c_double * len(values))(*values)
        self.device, self.version = device, version
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.step = (ctypes.c_int64 * len(shape))(*step) if step else None
        address = ctypes.cast(self.step, ctypes.c_void_p).value if step else None
        tensor = Tensor(ctypes.addressof(self.memory), device, len(shape), code, bits, lanes, ctypes.addressof(self.shape), address, offset)
        self.managed = Managed(tensor) if version is None else Versioned(version, None, None, flags, tensor)

    def __dlpack__(self, max_version=None):
        return _new(ctypes.addressof(self.managed), b"dltensor" if self.version is None else b"dltensor_versioned", None)

    def __dlpack_device__(self):
        return self.device

    def __array_namespace__(self):
        return SimpleNamespace(from_dlpack=_read)


def _read(made):
    """The elements of a float64 array in C's order, and its shape."""
    tensor = Managed.from_address(_pointer(made.__dlpack__(), b"dltensor")).tensor
    shape = (ctypes.c_int64 * tensor.dims).from_address(tensor.shape)[:] if tensor.dims else []
    count = 1
    for size in shape:
        count *= size
    return (ctypes.c_double * count).from_address(tensor.data)[:], shape
