"""_matmul.py: numpy.matmul's rules, and the library's product. SPDX-License-Identifier: MIT"""
import numpy as np

from . import _library as lib

# By the dtype's name: bfloat16 is no type of NumPy's own.
TYPES = {"float32": lib.F32, "float64": lib.F64, "bfloat16": lib.BF16, "int8": lib.S8, "uint8": lib.U8, "int32": lib.S32}
WANTED = "float32, float64, bfloat16, int8 or uint8"


def _types(a, b):
    """The common dtype of the operands (None: each its own) and that of the product."""
    for name, x in (("a", a), ("b", b)):
        if x.dtype.name not in TYPES or x.dtype.name == "int32":
            raise TypeError(f"gradus.matmul: {name}: found dtype {x.dtype}, wanted {WANTED}")
    kinds = {a.dtype.name, b.dtype.name}
    if kinds <= {"int8", "uint8"}:
        return None, np.dtype(np.int32)
    if kinds <= {"float32", "float64"}:
        wide = _native(np.result_type(a, b))
        return wide, wide
    if kinds == {"bfloat16"}:
        return None, np.dtype(np.float32)
    raise TypeError(f"gradus.matmul: a, b: found dtypes {a.dtype} and {b.dtype}, wanted both float, both bfloat16, or both of 8 bits")


def _shape(a, b):
    """numpy.matmul's: matrices in the last two dimensions, the others broadcast."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"gradus.matmul: a has {a.shape[-1]} columns and b {b.shape[-2]} rows (shapes {a.shape} and {b.shape}), wanted as many"
        )
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


def _leading(x, line, along):
    """The distance between lines of a matrix, in elements, where the elements along a line lie together; None where BLAS
    could not be told. The strides of empty arrays and of dimensions of size 1 mean nothing."""
    size = x.itemsize
    if x.size == 0:
        return max(1, x.shape[along])
    if x.shape[along] > 1 and x.strides[along] != size:
        return None
    if x.shape[line] <= 1:
        return max(1, x.shape[along])
    step = x.strides[line] // size
    return step if step >= max(1, x.shape[along]) else None


def _by_rows(x):
    return _leading(x, -2, -1)


def _by_columns(x):
    return _leading(x, -1, -2)


def _as_is(x):
    """Whether the library can read and write it. (The strides of aligned elements are multiples of their size.)"""
    return x.dtype.isnative and x.flags.aligned and (_by_rows(x) is not None or _by_columns(x) is not None)


def _native(dtype):
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def _readable(x, dtype):
    """x, or a copy where the library could not read it: other strides, bytes or dtype."""
    dtype = _native(x.dtype) if dtype is None else dtype
    if x.dtype != dtype:
        return x.astype(dtype, order="C")
    return x if _as_is(x) else np.array(x, order="C")


def _addresses(x, stack):
    """The addresses of the matrices of a stack, broadcast, in C's order."""
    x = np.broadcast_to(x, stack + x.shape[-2:])
    at = np.array(x.__array_interface__["data"][0], dtype=np.int64)
    for size, stride in zip(x.shape[:-2], x.strides[:-2]):
        at = np.add.outer(at, np.arange(size, dtype=np.int64) * stride)
    return np.ascontiguousarray(at.reshape(-1))


def _run(a, b, c, alpha, beta, threads):
    """Operands and c such as the library takes them; c has the whole shape."""
    gemm = lib.Gemm()
    gemm.a_type, gemm.b_type = TYPES[a.dtype.name], TYPES[b.dtype.name]
    gemm.c_type = TYPES[c.dtype.name]
    gemm.sum_type = lib.F32 if gemm.c_type == lib.BF16 else gemm.c_type
    gemm.m, gemm.n = c.shape[-2:]
    gemm.k = a.shape[-1]
    gemm.alpha, gemm.beta, gemm.threads = alpha, beta, threads
    gemm.ldc = _by_rows(c) or 0
    stored = _by_rows
    if not gemm.ldc:
        gemm.layout, gemm.ldc, stored = lib.COL_MAJOR, _by_columns(c), _by_columns
    other = _by_columns if stored is _by_rows else _by_rows
    gemm.lda, gemm.ldb = stored(a) or 0, stored(b) or 0
    if not gemm.lda:
        gemm.trans_a, gemm.lda = 1, other(a)
    if not gemm.ldb:
        gemm.trans_b, gemm.ldb = 1, other(b)
    if c.ndim == 2:
        gemm.a, gemm.b, gemm.c = (x.__array_interface__["data"][0] for x in (a, b, c))
        lib.run(gemm)
    elif c.size:
        stack = c.shape[:-2]
        arrays = [_addresses(x, stack) for x in (a, b, c)]
        gemm.batch = len(arrays[0])
        gemm.a_array, gemm.b_array, gemm.c_array = (x.ctypes.data for x in arrays)
        lib.run(gemm)


def _check_out(out, shape, dtype):
    if not isinstance(out, np.ndarray):
        raise TypeError(f"gradus.matmul: out: found {type(out).__name__}, wanted a NumPy array")
    if out.shape != shape:
        raise ValueError(f"gradus.matmul: out: found shape {out.shape}, wanted {shape}")
    allowed = ("float32", "bfloat16") if dtype == "bf16" else (dtype.name,)
    if out.dtype.name not in allowed:
        raise TypeError(f"gradus.matmul: out: found dtype {out.dtype}, wanted {' or '.join(allowed)}")
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
        _check_out(out, kept, "bf16" if left.dtype.name == "bfloat16" else dtype)
    left, right = _readable(left, common), _readable(right, common)
    c = out.reshape(whole) if out.flags.c_contiguous else _expanded(out, a.ndim, b.ndim)
    if _as_is(c) and not (np.may_share_memory(c, left) or np.may_share_memory(c, right)):
        _run(left, right, c, alpha, beta, count)
    else:
        apart = np.array(c, dtype=_native(c.dtype), order="C")
        _run(left, right, apart, alpha, beta, count)
        c[...] = apart
    return out[()] if made else out


def _expanded(out, a_ndim, b_ndim):
    """A view with the dimensions that vectors have not."""
    if a_ndim == 1:
        out = out[..., np.newaxis, :] if b_ndim > 1 else out[..., np.newaxis]
    return out[..., np.newaxis] if b_ndim == 1 else out
