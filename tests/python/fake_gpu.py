"""fake_gpu.py: array libraries on a GPU that is not there: memory of the fake driver (GRADUS_CUDA_DRIVER), which is the host's. A module
`cupy` with DLPack capsules, a module `torch` with DLPack's C functions, and arrays with the CUDA array interface only.
SPDX-License-Identifier: MIT
"""
import contextlib
import ctypes
import os
import sys
from types import ModuleType

import numpy as np

from foreign_array import Managed, Tensor, Versioned, _new

driver = ctypes.CDLL(os.environ["GRADUS_CUDA_DRIVER"])
CODES = {"float32": (2, 32), "float64": (2, 64), "float16": (2, 16), "int8": (0, 8), "bfloat16": (4, 16)}


def new_stream():
    stream = ctypes.c_void_p()
    driver.cuStreamCreate(ctypes.byref(stream), 0)
    return stream.value


LEGACY, OTHER, THIRD = 0, new_stream(), new_stream()
state = {"stream": {0: OTHER, 1: OTHER}, "live": 0, "asked": [], "ordered": []}


def calls(what):
    return driver.fake_calls(what.encode())


def memory_of(values, device=0):
    """A NumPy array in memory of the GPU."""
    values = np.asarray(values)
    address, handle = ctypes.c_uint64(), ctypes.c_void_p()
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(handle), device)
    driver.cuCtxPushCurrent_v2(handle)
    driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(values.nbytes, 1)))
    driver.cuCtxPopCurrent_v2(ctypes.byref(handle))
    made = np.frombuffer((ctypes.c_char * values.nbytes).from_address(address.value), values.dtype) if values.nbytes else values.ravel()
    made = made.reshape(values.shape)
    made[...] = values
    return made


class _Lent:
    """A DLPack tensor of a view; counts those that were not given back."""

    kept = {}

    def __init__(self, array, versioned):
        view = array.view
        self.shape = (ctypes.c_int64 * view.ndim)(*view.shape)
        self.step = (ctypes.c_int64 * view.ndim)(*(s // view.itemsize for s in view.strides))
        code, bits = CODES[array.dtype]
        tensor = Tensor(view.ctypes.data, (2, array.number), view.ndim, code, bits, 1, ctypes.addressof(self.shape), ctypes.addressof(self.step), 0)
        free = ctypes.cast(_deleter, ctypes.c_void_p).value
        self.managed = Versioned((1, 1), None, free, int(not view.flags.writeable), tensor) if versioned else Managed(tensor, None, free)
        self.address = ctypes.addressof(self.managed)
        _Lent.kept[self.address] = self
        state["live"] += 1


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _deleter(address):
    del _Lent.kept[address]  # a KeyError, if it is called twice
    state["live"] -= 1


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _of_capsule(capsule):
    """As all libraries do: what was not taken over is freed with its capsule."""
    for name in (b"dltensor", b"dltensor_versioned"):
        if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), name):
            get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
            _deleter(get(capsule, name))


class GpuArray:
    """What the array libraries below have in common: a NumPy view of memory of the GPU."""

    def __init__(self, values, device=0, dtype=None, view=None):
        self.view = memory_of(values, device) if view is None else view
        self.number, self.dtype = device, dtype or str(self.view.dtype)

    def _of(self, view):
        return type(self)(None, self.number, self.dtype, view)

    def __getitem__(self, key):
        return self._of(self.view[key])

    @property
    def T(self):
        return self._of(self.view.T)

    @property
    def shape(self):
        return self.view.shape


class WithInterface(GpuArray):
    """__cuda_array_interface__ only, as Numba's arrays; `stream`: the one that writes it."""

    stream = None
    changes = {}

    @property
    def __cuda_array_interface__(self):
        view = self.view
        about = {"shape": view.shape, "typestr": view.dtype.str, "data": (view.ctypes.data if view.size else 0, not view.flags.writeable),
                 "strides": view.strides, "version": 3, "stream": self.stream}
        return {**about, **self.changes}


class CupyArray(GpuArray):
    old = False  # of a version of DLPack before versions

    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, *, stream, **options):
        if self.old and options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        state["asked"].append(stream)
        lent = _Lent(self, not self.old)
        return _new(lent.address, b"dltensor" if self.old else b"dltensor_versioned", ctypes.cast(_of_capsule, ctypes.c_void_p))


class Tensor_(GpuArray):
    """PyTorch's, read by the functions below."""

    requires_grad = False

    @property
    def device(self):
        return self.number

    def __dlpack__(self, **options):
        raise AssertionError("the C functions were not used")

    def __dlpack_device__(self):
        return 2, self.number


class _Exchange(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("older", ctypes.c_void_p), ("make", ctypes.c_void_p), ("from_object", ctypes.c_void_p),
                ("to_object", ctypes.c_void_p), ("view_object", ctypes.c_void_p), ("current_stream", ctypes.c_void_p)]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
def _from_object(array, out):
    out[0] = _Lent(array, True).address
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_void_p)
def _make(like, out, context, fail):
    wanted = Tensor.from_address(like)
    shape = (ctypes.c_int64 * wanted.dims).from_address(wanted.shape)[:] if wanted.dims else []
    state["made_on"] = tuple(wanted.device)
    array = Tensor_(np.full(shape, np.nan, {32: "f4", 64: "f8"}[wanted.bits]), wanted.device[1])
    lent = _Lent(array, True)
    lent.array = array
    out[0] = lent.address
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
def _to_object(address, out):
    array = _Lent.kept[address].array
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
    out[0] = id(array)
    _deleter(address)
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def _current_stream(kind, number, out):
    out[0] = state["stream"][number] or None
    return 0


_exchange = _Exchange((1, 3), None, *(ctypes.cast(f, ctypes.c_void_p).value for f in (_make, _from_object, _to_object)), None,
                      ctypes.cast(_current_stream, ctypes.c_void_p).value)
_NAME = b"dlpack_exchange_api"  # a capsule keeps no copy of it
Tensor_.__dlpack_c_exchange_api__ = _new(ctypes.addressof(_exchange), _NAME, None)


class _Stream:
    """A stream as the current one, of either library."""

    def __init__(self, address):
        self.ptr = self.cuda_stream = address

    def __enter__(self):
        state["before"] = dict(state["stream"])
        state["stream"] = dict.fromkeys(state["stream"], self.ptr)

    def __exit__(self, *_):
        state["stream"] = state["before"]


def _module(name, **members):
    module = ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


def _empty(kind):
    def empty(shape, dtype, device=None):
        array = kind(np.full(shape, np.nan, dtype), state["device"] if device is None else device)
        array.made_on = state["stream"][array.number]
        state["last_made"] = array.shape, array.made_on
        return array

    return empty


@contextlib.contextmanager
def _device(number):
    before, state["device"] = state.get("device", 0), number
    yield
    state["device"] = before


_cuda = {"ExternalStream": _Stream, "stream": lambda stream: stream, "Stream": _Stream, "Device": _device,
         "get_current_stream": lambda: _Stream(state["stream"][state["device"]]), "current_stream": lambda number: _Stream(state["stream"][number])}
cupy = _module("cupy", ndarray=CupyArray, empty=_empty(CupyArray), cuda=_module("cupy.cuda", **_cuda))
_graph = _module("torch.autograd.graph", increment_version=lambda out: state.update(written=out))
torch = _module("torch", Tensor=Tensor_, empty=_empty(Tensor_), float32="f4", float64="f8", cuda=_module("torch.cuda", **_cuda),
                autograd=_module("torch.autograd", graph=_graph))
