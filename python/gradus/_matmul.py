"""_matmul.py: numpy.matmul's rules, and the library's product. SPDX-License-Identifier: MIT"""
import numpy as np

from . import _library as lib

# By the dtype's name: bfloat16 is no type of NumPy's own.
TYPES = {"float32": lib.F32, "float64": lib.F64, "bfloat16": lib.BF16, "int8": lib.S8, "uint8": lib.U8, "int32": lib.S32}
WANTED = "float32, float64, bfloat16, int8 or uint8"

F4, F8, I4 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)
# Types of a and b: the dtype that both are taken as (None: each its own), and the product's.
PRODUCTS = {
    (lib.F32, lib.F32): (F4, F4),
    (lib.F64, lib.F64): (F8, F8),
    (lib.F32, lib.F64): (F8, F8),
    (lib.F64, lib.F32): (F8, F8),
    (lib.BF16, lib.BF16): (None, F4),
    (lib.S8, lib.S8): (None, I4),
    (lib.S8, lib.U8): (None, I4),
    (lib.U8, lib.S8): (None, I4),
    (lib.U8, lib.U8): (None, I4),
}

_known = {}  # a dtype's name takes longer to make than a small product


def _type(dtype):
    """The library's type, of either byte order, or None."""
    try:
        return _known[dtype]
    except KeyError:
        return _known.setdefault(dtype, TYPES.get(dtype.name))


def _types(a, b):
    """A line of PRODUCTS."""
    types = _type(a.dtype), _type(b.dtype)
    found = PRODUCTS.get(types)
    if found:
        return found
    for name, x, type_ in (("a", a, types[0]), ("b", b, types[1])):
        if type_ is None or type_ == lib.S32:
            raise TypeError(f"gradus.matmul: {name}: found dtype {x.dtype}, wanted {WANTED}")
    raise TypeError(f"gradus.matmul: a, b: found dtypes {a.dtype} and {b.dtype}, wanted both float, both bfloat16, or both of 8 bits")


def _shape(a, b):
    """numpy.matmul's: matrices in the last two dimensions, the others broadcast."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"gradus.matmul: a has {a.shape[-1]} columns and b {b.shape[-2]} rows (shapes {a.shape} and {b.shape}), wanted as many"
        )
    if a.ndim == b.ndim == 2:
        return a.shape[0], b.shape[1]
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(
            f"gradus.matmul: the stacks {a.shape[:-2]} of a and {b.shape[:-2]} of b cannot be broadcast together"
        ) from None
    return stack + (a.shape[-2], b.shape[-1])


def _operand(name, x, transposed):
    x = np.asarray(x)
    if x.ndim == 0:
        raise ValueError(f"gradus.matmul: {name}: found a scalar, wanted at least one dimension")
    if transposed:
        if x.ndim == 1:
            raise ValueError(f"gradus.matmul: trans_{name}: {name} has one dimension, wanted two or more")
        x = x.swapaxes(-1, -2)
    return x


def _lead(length, step, lines, apart):
    """The distance between lines of a matrix, where the elements along a line lie together; 0 where BLAS could not be told.
    Steps are in elements, and mean nothing for a dimension of size 1."""
    if length > 1 and step != 1:
        return 0
    if lines <= 1:
        return max(1, length)
    return apart if apart >= max(1, length) else 0


def _leads(x):
    """The distances between rows and between columns; (0, 0): the library cannot read or write x where it lies."""
    flags, size = x.flags, x.itemsize
    if not (flags.aligned and x.dtype.isnative):
        return 0, 0
    m, n = x.shape[-2:]
    if x.size == 0:  # of any strides
        return max(1, n), max(1, m)
    row, column = x.strides[-2] // size, x.strides[-1] // size  # of aligned elements, multiples
    return _lead(n, column, m, row), _lead(m, row, n, column)


def _native(dtype):
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def _readable(x, dtype):
    """x and its leads, or those of a copy where the library could not read it: other strides, bytes or dtype."""
    dtype = _native(x.dtype) if dtype is None else dtype
    if x.dtype != dtype:
        x = x.astype(dtype, order="C")
    leads = _leads(x)
    if any(leads):
        return x, leads
    x = np.array(x, order="C")
    return x, _leads(x)


def _addresses(x, stack):
    """The addresses of the matrices of a stack, broadcast, in C's order."""
    x = np.broadcast_to(x, stack + x.shape[-2:])
    at = np.array(x.__array_interface__["data"][0], dtype=np.int64)
    for size, stride in zip(x.shape[:-2], x.strides[:-2]):
        at = np.add.outer(at, np.arange(size, dtype=np.int64) * stride)
    return np.ascontiguousarray(at.reshape(-1))


def _run(left, right, c, leads, options):
    """Operands with their leads; c has the whole shape. options: alpha, beta, threads."""
    gemm = lib.Gemm()
    gemm.a_type, gemm.b_type, gemm.c_type = (_type(x.dtype) for x in (left[0], right[0], c))
    gemm.sum_type = lib.F32 if gemm.c_type == lib.BF16 else gemm.c_type
    gemm.m, gemm.n = c.shape[-2:]
    gemm.k = left[0].shape[-1]
    gemm.alpha, gemm.beta, gemm.threads = options
    stored = lib.ROW_MAJOR if leads[0] else lib.COL_MAJOR
    gemm.layout, gemm.ldc = stored, leads[stored]
    gemm.lda, gemm.ldb = left[1][stored], right[1][stored]
    if not gemm.lda:
        gemm.trans_a, gemm.lda = 1, left[1][1 - stored]
    if not gemm.ldb:
        gemm.trans_b, gemm.ldb = 1, right[1][1 - stored]
    operands = left[0], right[0], c
    if c.ndim == 2:
        gemm.a, gemm.b, gemm.c = (x.__array_interface__["data"][0] for x in operands)
        lib.run(gemm)
    elif c.size:
        arrays = [_addresses(x, c.shape[:-2]) for x in operands]
        gemm.batch = len(arrays[0])
        gemm.a_array, gemm.b_array, gemm.c_array = (x.ctypes.data for x in arrays)
        lib.run(gemm)


def _check_out(out, shape, dtype, half):
    if not isinstance(out, np.ndarray):
        raise TypeError(f"gradus.matmul: out: found {type(out).__name__}, wanted a NumPy array")
    if out.shape != shape:
        raise ValueError(f"gradus.matmul: out: found shape {out.shape}, wanted {shape}")
    found = _type(out.dtype)
    if found != _type(dtype) and not (half and found == lib.BF16):
        raise TypeError(f"gradus.matmul: out: found dtype {out.dtype}, wanted {dtype}{' or bfloat16' if half else ''}")
    if not out.flags.writeable:
        raise ValueError("gradus.matmul: out: found a read-only array, wanted one that can be written")


def _matrix(x, first):
    """A vector is a row on the left and a column on the right."""
    if x.ndim > 1:
        return x
    return x[np.newaxis, :] if first else x[:, np.newaxis]


def matmul(a, b, out=None, alpha=1, beta=0, trans_a=False, trans_b=False, threads=None):
    """alpha * op(a) @ op(b) + beta * out, by libgradus.

    a, b: arrays, or what numpy.asarray takes, of float32, float64 (of both kinds: computed as float64), bfloat16, or int8 and
    uint8 (the product is int32, exact, modulo 2**32). Shapes as numpy.matmul: a vector is a row on the left and a column on
    the right, dimensions before the last two are stacks of matrices and broadcast.

    out: where the product goes, of its shape and dtype, of any strides; it is returned. It may overlap a and b. bfloat16: out
    may be float32, as without it, or bfloat16.
    alpha, beta: numbers; whole ones for int8 and uint8. Where beta is 0, out is not read, else out must be given.
    trans_a, trans_b: take the last two dimensions exchanged. An array's .T does the same, and is not copied either.
    threads: at most so many; None: set_threads' number.

    Matrices whose rows or columns lie together in memory are not copied; others, and those of mixed dtypes or of another
    byte order, are. While the library computes, other Python threads run.

    TypeError: dtypes. ValueError: shapes, an out that is read-only, numbers. NotImplementedError: this library or CPU cannot.
    """
    a, b = _operand("a", a, trans_a), _operand("b", b, trans_b)
    common, dtype = _types(a, b)
    left, right = _matrix(a, True), _matrix(b, False)
    whole = _shape(left, right)
    kept = whole[:-2] + whole[-2:-1] * (a.ndim > 1) + whole[-1:] * (b.ndim > 1)
    count = 0 if threads is None else lib.thread_count(threads)
    made = out is None
    if made:
        if beta:
            raise ValueError("gradus.matmul: beta: found a number other than 0 without out, wanted out, which it multiplies")
        out = np.empty(kept, dtype)
    else:
        _check_out(out, kept, dtype, common is None and dtype == F4)
    operands = _readable(left, common), _readable(right, common)
    c = out.reshape(whole) if out.flags.c_contiguous else _expanded(out, a.ndim, b.ndim)
    leads, options = _leads(c), (alpha, beta, count)
    if made or (any(leads) and not any(np.may_share_memory(c, x) for x, _ in operands)):
        _run(*operands, c, leads, options)
    else:
        apart = np.array(c, dtype=_native(c.dtype), order="C")
        _run(*operands, apart, _leads(apart), options)
        c[...] = apart
    return out[()] if made else out


def _expanded(out, a_ndim, b_ndim):
    """A view with the dimensions that vectors have not."""
    if a_ndim == 1:
        out = out[..., np.newaxis, :] if b_ndim > 1 else out[..., np.newaxis]
    return out[..., np.newaxis] if b_ndim == 1 else out
