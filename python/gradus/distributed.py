"""distributed.py: products of matrices that are distributed over ranks: processes that mpi4py or torch.distributed connects,
or threads. SPDX-License-Identifier: MIT

    from mpi4py import MPI
    from gradus import distributed as gd

    with gd.Communicator(MPI.COMM_WORLD) as comm:
        layout = gd.Blocked((4000, 4000), grid=(comm.size, 1))           # rows, shared out
        a, b = (layout.of(x) for x in mine)                              # each rank's own rows
        c = gd.matmul(a, b, layout, comm).local                          # its rows of the product

    Communicator(comm)          of an mpi4py communicator or a torch.distributed process group; collective
    run_threads(ranks, work)    ranks that are threads of this process, for tests
    Replicated, Blocked, Cyclic which elements of a matrix each rank has
    matmul(a, b, out, comm)     C = alpha op(A) op(B) + beta C; collective

Arrays are NumPy's, or PyTorch's on the CPU, of float32 or float64. What fails on one rank raises the same text on all.
"""
import ctypes as _c
import sys as _sys

from ._library import library as _library

__all__ = ["Blocked", "Communicator", "Cyclic", "Error", "Matrix", "Replicated", "matmul", "run_threads"]


class Error(RuntimeError):
    """The messages between ranks failed. The communicator can only be freed."""


# ---- gradus/dist.h, as ctypes has it; a test compares the sizes with the library's ----

_OK, _INVALID, _IO = 0, 1, 5
_TYPES = {"float32": 0, "float64": 1}
_BYTES = {"float32": 4, "float64": 8}


class _Error(_c.Structure):
    _fields_ = [("status", _c.c_int), ("text", _c.c_char * 512), ("log", _c.c_void_p)]


class _Part(_c.Structure):
    _fields_ = [("distribution", _c.c_int), ("grid_rows", _c.c_int64), ("grid_cols", _c.c_int64), ("grid_col_major", _c.c_int),
                ("desc", _c.POINTER(_c.c_int)), ("row", _c.c_int64), ("col", _c.c_int64), ("layout", _c.c_int), ("local", _c.c_void_p),
                ("ld", _c.c_int64), ("reserved", _c.c_int64 * 4)]


class _Gemm(_c.Structure):
    _fields_ = [("type", _c.c_int), ("trans_a", _c.c_int), ("trans_b", _c.c_int), ("m", _c.c_int64), ("n", _c.c_int64),
                ("k", _c.c_int64), ("alpha", _c.c_double), ("beta", _c.c_double), ("a", _Part), ("b", _Part), ("c", _Part),
                ("memory_bytes", _c.c_int64), ("threads", _c.c_int), ("reserved", _c.c_int64 * 6)]


class _Message(_c.Structure):
    _fields_ = [("peer", _c.c_int64), ("data", _c.c_void_p), ("bytes", _c.c_size_t)]


_Exchange = _c.CFUNCTYPE(_c.c_int, _c.c_void_p, _c.POINTER(_Message), _c.c_int64, _c.POINTER(_Message), _c.c_int64, _c.POINTER(_Error))
_Abort = _c.CFUNCTYPE(None, _c.c_void_p, _c.c_char_p)
_Work = _c.CFUNCTYPE(_c.c_int, _c.c_void_p, _c.c_void_p, _c.POINTER(_Error))


class _Functions(_c.Structure):
    _fields_ = [("rank", _c.c_int64), ("size", _c.c_int64), ("context", _c.c_void_p), ("exchange", _Exchange), ("abort", _Abort),
                ("release", _c.c_void_p), ("reserved", _c.c_int64 * 4)]


def _bind():
    """The library's functions, with their types."""
    lib, handle, error = _c.CDLL(_library()), _c.c_void_p, _c.POINTER(_Error)
    for name, result, arguments in (
        ("gradus_comm_create_fortran", _c.c_int, [_c.c_int, _c.POINTER(handle), error]),
        ("gradus_comm_create_functions", _c.c_int, [_c.POINTER(_Functions), _c.POINTER(handle), error]),
        ("gradus_comm_free", None, [handle]),
        ("gradus_comm_rank", _c.c_int64, [handle]),
        ("gradus_comm_size", _c.c_int64, [handle]),
        ("gradus_comm_run_threads", _c.c_int, [_c.c_int64, _Work, handle, error]),
        ("gradus_error_clear", None, [error]),
        ("gradus_gemm_dist_init", None, [_c.POINTER(_Gemm), _c.c_int]),
        ("gradus_gemm_dist_refuse", _c.c_int, [handle, _c.c_int, _c.c_char_p, error]),
        ("gradus_gemm_dist_run", _c.c_int, [_c.POINTER(_Gemm), handle, error]),
        ("gradus_status_name", _c.c_char_p, [_c.c_int]),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


_lib = _bind()
_KINDS = {"invalid": ValueError, "unsupported": NotImplementedError, "no_memory": MemoryError}


def _check(status, error):
    """Raises what a call failed with."""
    if status != _OK:
        text = error.text.decode(errors="replace")
        name = _lib.gradus_status_name(status).decode().replace("-", "_")
        _lib.gradus_error_clear(_c.byref(error))
        raise _KINDS.get(name, Error)("gradus.distributed: " + text.removeprefix("gradus.distributed: "))


def _report(error, status, text):
    """Fills in the error of a callback."""
    error.contents.status = status
    error.contents.text = " ".join(str(text).split()).encode()[:500]
    return status


# ---- Communicators ----


class Communicator:
    """The ranks of an mpi4py communicator or of a torch.distributed process group. Collective, as are `free` and the end of a
    `with` block. Messages of the program are never taken for those of products: MPI's communicator is duplicated, and beside a
    process group, of whatever backend, one of gloo with the same ranks is made.

    timeout: seconds that a rank waits for a message of another one, of torch.distributed; None: its default, 30 minutes."""

    def __init__(self, comm, timeout=None):
        self._handle, self._carrier = _c.c_void_p(), None
        torch = _sys.modules.get("torch.distributed")
        if hasattr(comm, "py2f"):
            self._of_mpi(comm, timeout)
        elif torch is not None and torch.is_available() and isinstance(comm, torch.ProcessGroup):
            self._of_functions(_Gloo(torch, comm, timeout))
        else:
            raise TypeError(f"gradus.distributed: comm: found {type(comm)}, wanted a communicator of mpi4py, or a process group of "
                            "torch.distributed, as torch.distributed.group.WORLD after init_process_group")

    def _of_mpi(self, comm, timeout):
        if timeout is not None:
            raise ValueError("gradus.distributed: timeout: found one with a communicator of mpi4py, wanted None")
        # Python loads modules so that other libraries do not see MPI, which they have to.
        _c.CDLL(_sys.modules[type(comm).__module__].__file__, mode=_c.RTLD_GLOBAL)
        error = _Error()
        _check(_lib.gradus_comm_create_fortran(comm.py2f(), _c.byref(self._handle), _c.byref(error)), error)

    def _of_functions(self, carrier):
        self._carrier, error = carrier, _Error()  # the library calls its functions until `free`
        functions = _Functions(rank=carrier.rank, size=carrier.size, exchange=carrier.exchange, abort=carrier.abort)
        _check(_lib.gradus_comm_create_functions(_c.byref(functions), _c.byref(self._handle), _c.byref(error)), error)

    @classmethod
    def _of_thread(cls, handle):
        self = cls.__new__(cls)
        self._handle, self._carrier = _c.c_void_p(handle), None
        return self

    def free(self):
        """Before MPI's end, or that of the process group. Again: nothing."""
        _lib.gradus_comm_free(self._handle)
        self._handle = _c.c_void_p()
        if self._carrier:
            self._carrier.close()
        self._carrier = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    @property
    def rank(self):
        return _lib.gradus_comm_rank(self._alive())

    @property
    def size(self):
        return _lib.gradus_comm_size(self._alive())

    def _alive(self):
        if not self._handle:
            raise ValueError("gradus.distributed: comm: found one that was freed, wanted one in use")
        return self._handle


class _Gloo:
    """Carries messages by torch.distributed. A rank that fails closes its connections, which ends the waiting of all others,
    and leaves its reason in the store."""

    def __init__(self, torch, group, timeout):
        from datetime import timedelta

        import torch as whole

        self._torch, self._frombuffer, self._uint8 = torch, whole.frombuffer, whole.uint8
        self._ranks = torch.get_process_group_ranks(group)
        self.rank, self.size = torch.get_rank(group), torch.get_world_size(group)
        self._group = torch.new_group(self._ranks, backend="gloo", use_local_synchronization=True,
                                      timeout=None if timeout is None else timedelta(seconds=timeout))
        self._sent, self._received, self._failure = [0] * self.size, [0] * self.size, None
        self._store = torch.distributed_c10d._get_default_store()
        self._key = "gradus/failed/" + self._group.group_name
        self.exchange, self.abort = _Exchange(self._exchange), _Abort(self._abort)

    def _start(self, start, message, counts):
        """Each message of a pair of ranks has a tag of its own, so that none is taken for another."""
        peer = message.peer
        data = self._frombuffer((_c.c_char * message.bytes).from_address(message.data), dtype=self._uint8)
        counts[peer] = (counts[peer] + 1) % (1 << 30)
        return start(data, self._ranks[peer], group=self._group, tag=counts[peer])

    def _exchange(self, _, sends, send_count, receives, receive_count, error):
        try:
            if self._failure:
                return _report(error, _IO, self._failure)
            works = [self._start(self._torch.irecv, receives[i], self._received) for i in range(receive_count)]
            works += [self._start(self._torch.isend, sends[i], self._sent) for i in range(send_count)]
            for work in works:
                work.wait()
            return _OK
        except BaseException as failed:  # nothing may leave this function
            return _report(error, _IO, self._reason() or f"rank {self.rank}: torch.distributed: {failed}")

    def _reason(self):
        """What the rank that failed first says."""
        try:
            return self._store.get(self._key).decode() if self._store.check([self._key]) else None
        except Exception:  # the process that has the store has ended
            return None

    def _abort(self, _, text):
        self._failure = self._failure or text.decode(errors="replace")
        try:
            if not self._reason():
                self._store.set(self._key, self._failure)
        except Exception:
            pass
        self.close()

    def close(self):
        group, self._group = self._group, None
        try:
            if group is not None:
                self._torch.destroy_process_group(group)
        except Exception:  # the default group was destroyed before, and with it this one
            pass


def run_threads(ranks, work):
    """Calls work(comm) on that many threads, each of which is a rank, and returns a list of what the calls returned. The first
    rank's exception is raised again; it ends the products in which others wait for that rank."""
    results, raised = [None] * ranks, {}

    def call(handle, _, error):
        comm = Communicator._of_thread(handle)
        rank = comm.rank
        try:
            results[rank] = work(comm)
            return _OK
        except BaseException as failed:
            raised[rank] = failed
            return _report(error, _INVALID, failed)

    error = _Error()
    status = _lib.gradus_comm_run_threads(ranks, _Work(call), None, _c.byref(error))
    if raised:  # a rank's own, rather than those that it caused
        own = {rank: x for rank, x in raised.items() if not isinstance(x, Error)} or raised
        raise own[min(own)]
    _check(status, error)
    return results


# ---- Layouts ----


def _pair(what, x, least):
    pair = tuple(int(i) for i in x)
    if len(pair) != 2 or min(pair) < least:
        raise ValueError(f"gradus.distributed: {what}: found {x}, wanted two numbers from {least} on")
    return pair


class _Layout:
    """Which elements of a matrix of this shape each rank has. order: of the local arrays, "C": by rows, "F": by columns; on a
    grid of ranks with grid_order "C", rank i is in row i // columns of the grid, with "F" in row i % rows."""

    def __init__(self, shape, grid=(1, 1), order="C", grid_order="C"):
        for name, x in (("order", order), ("grid_order", grid_order)):
            if x not in ("C", "F"):
                raise ValueError(f"gradus.distributed: {name}: found {x!r}, wanted 'C' or 'F'")
        self.shape, self.grid = _pair("shape", shape, 0), _pair("grid", grid, 1)
        self.order, self.grid_order = order, grid_order

    def __repr__(self):
        return f"{type(self).__name__}({self.shape}, grid={self.grid})"

    def _place(self, rank):
        """Of a rank in the grid; None: it is not in it."""
        rows, cols = self.grid
        if rank >= rows * cols:
            return None
        return divmod(rank, cols) if self.grid_order == "C" else divmod(rank, rows)[::-1]

    def indices(self, rank):
        """The rows and the columns that a rank has, in the order of its local array: x[numpy.ix_(*layout.indices(rank))]."""
        place = self._place(rank)
        return ([], []) if place is None else tuple(self._axis(d, place[d]) for d in (0, 1))

    def local_shape(self, rank):
        return tuple(len(x) for x in self.indices(rank))

    def of(self, local):
        """The matrix of which this rank has these elements: an array, or None where it has none."""
        return Matrix(self, local)

    def _fill(self, part, rank):
        part.layout = int(self.order == "F")
        part.grid_rows, part.grid_cols = self.grid
        part.grid_col_major = int(self.grid_order == "F")


class Replicated(_Layout):
    """Every rank has all elements."""

    def __init__(self, shape, order="C"):
        super().__init__(shape, order=order)

    def indices(self, rank):
        return tuple(range(size) for size in self.shape)

    def _fill(self, part, rank):
        super()._fill(part, rank)
        part.distribution = 0


class Blocked(_Layout):
    """One block a rank: of r rows over g parts, the first r % g have r // g + 1, the others r // g; columns likewise. 1D: a
    grid of (ranks, 1) or (1, ranks)."""

    def __init__(self, shape, grid, order="C", grid_order="C"):
        super().__init__(shape, grid, order, grid_order)

    def _axis(self, axis, part):
        each, more = divmod(self.shape[axis], self.grid[axis])
        begin = part * each + min(part, more)
        return range(begin, begin + each + (part < more))

    def _fill(self, part, rank):
        super()._fill(part, rank)
        part.distribution = 1


class Cyclic(_Layout):
    """ScaLAPACK's blocks of (rows, columns), dealt out to a grid from its place `source` on. Local arrays are by columns ("F")."""

    def __init__(self, shape, block, grid, source=(0, 0), grid_order="C"):
        super().__init__(shape, grid, "F", grid_order)
        self.block, self.source = _pair("block", block, 1), _pair("source", source, 0)
        if any(s >= g for s, g in zip(self.source, self.grid)):
            raise ValueError(f"gradus.distributed: source: found {self.source}, wanted a place in the grid {self.grid}")

    def _axis(self, axis, part):
        size, block, parts = self.shape[axis], self.block[axis], self.grid[axis]
        first = (part - self.source[axis]) % parts
        return [i for begin in range(first * block, size, parts * block) for i in range(begin, min(begin + block, size))]

    def _fill(self, part, rank):
        super()._fill(part, rank)
        part.distribution = 2
        entries = (1, -1, *self.shape, *self.block, *self.source, max(1, part.ld))
        self._desc = (_c.c_int * 9)(*entries)  # of this rank
        part.desc = self._desc


class Matrix:
    """A layout, and this rank's elements in `local`."""

    def __init__(self, layout, local):
        self.layout, self.local = layout, local

    def __repr__(self):
        return f"Matrix({self.layout})"


# ---- Local arrays ----


def _read_tensor(name, x):
    if x.device.type != "cpu":
        raise NotImplementedError(f"gradus.distributed.matmul: {name}: found a tensor on {x.device}, wanted one in host memory")
    if x.requires_grad:
        raise NotImplementedError(f"gradus.distributed.matmul: {name}: found a tensor that requires gradients, wanted x.detach()")
    return x.data_ptr(), tuple(x.shape), tuple(x.stride()), str(x.dtype).removeprefix("torch."), True


def _read_interface(name, x):
    about = getattr(x, "__array_interface__", None)
    if about is None:
        raise TypeError(f"gradus.distributed.matmul: {name}: found {type(x)}, wanted an array of NumPy or PyTorch")
    address, constant = about["data"]
    kind = {"<f4": "float32", "<f8": "float64"}.get(about["typestr"], str(getattr(x, "dtype", about["typestr"])))
    shape, size = tuple(about["shape"]), _BYTES.get(kind, 1)
    strides = about.get("strides") or tuple(x.strides)
    return address, shape, tuple(s / size for s in strides), kind, not constant


def _step(name, matrix, shape, strides):
    """Elements between two lines of the local array."""
    lines, line = (0, 1) if matrix.layout.order == "C" else (1, 0)
    least = max(shape[line], 1)
    if shape[line] > 1 and strides[line] != 1 and shape[lines] > 0 or shape[lines] > 1 and strides[lines] < least and shape[line] > 0:
        wanted = "rows" if matrix.layout.order == "C" else "columns"
        raise ValueError(f"gradus.distributed.matmul: {name}: found strides of {tuple(strides)} elements, wanted {wanted} that lie together, as "
                         f"order={matrix.layout.order!r} of its layout says")
    step = strides[lines] if shape[lines] > 1 and shape[line] > 0 else least
    if step != int(step):
        raise ValueError(f"gradus.distributed.matmul: {name}: found strides that are no whole numbers of elements, wanted an aligned array")
    return int(step)


def _read(name, matrix, rank, part, written=False):
    """Fills in a rank's part; returns its dtype, or None where it has no elements."""
    if not isinstance(matrix, Matrix):
        raise TypeError(f"gradus.distributed.matmul: {name}: found {type(matrix)}, wanted a matrix: layout.of(array)")
    kind, wanted, part.ld = None, matrix.layout.local_shape(rank), 1
    if matrix.local is not None:
        torch = _sys.modules.get("torch")
        tensor = torch is not None and isinstance(matrix.local, torch.Tensor)
        address, shape, strides, kind, writable = (_read_tensor if tensor else _read_interface)(name, matrix.local)
        if kind not in _TYPES:
            raise TypeError(f"gradus.distributed.matmul: {name}: found dtype {kind}, wanted float32 or float64")
        if shape != wanted:
            raise ValueError(f"gradus.distributed.matmul: {name}: found a local array of {shape}, wanted {wanted} of {matrix.layout}")
        if written and not writable:
            raise ValueError(f"gradus.distributed.matmul: {name}: found an array that is read-only, wanted one to write to")
        part.local, part.ld = address, _step(name, matrix, shape, strides)
    elif 0 not in wanted:
        raise ValueError(f"gradus.distributed.matmul: {name}: found None, wanted a local array of {wanted} of {matrix.layout}")
    matrix.layout._fill(part, rank)
    return kind


def _made(out, like, rank):
    """A new matrix of that layout, of the library and the dtype of the first operand that this rank has a part of."""
    local = next((x.local for x in like if getattr(x, "local", None) is not None), None)
    shape = out.local_shape(rank)
    if local is None:
        if 0 not in shape:
            raise ValueError("gradus.distributed.matmul: out: found a layout on a rank that has no part of a and b, wanted a matrix")
        return out.of(None)
    torch = _sys.modules.get("torch")
    if torch is not None and isinstance(local, torch.Tensor):
        return out.of(torch.empty(shape, dtype=local.dtype) if out.order == "C" else torch.empty(shape[::-1], dtype=local.dtype).T)
    import numpy

    return out.of(numpy.empty(shape, local.dtype, order=out.order))


def _ask(gemm, a, b, out, rank, options):
    """Fills in the product; returns the matrix for the result."""
    if isinstance(out, _Layout):
        if options["beta"]:
            raise ValueError("gradus.distributed.matmul: beta: found one with a layout for out, wanted 0, or a matrix")
        out = _made(out, (a, b), rank)
    kinds = {name: _read(name, x, rank, part, name == "out")
             for name, x, part in (("a", a, gemm.a), ("b", b, gemm.b), ("out", out, gemm.c))}
    found = {kind for kind in kinds.values() if kind}
    if len(found) > 1:
        raise TypeError("gradus.distributed.matmul: found dtypes " + ", ".join(f"{kind} of {name}" for name, kind in kinds.items() if kind) +
                        ", wanted the same")
    (m, k), (l, n) = (x.layout.shape[::-1] if options["trans_" + name] else x.layout.shape for name, x in (("a", a), ("b", b)))
    if k != l or out.layout.shape != (m, n):
        raise ValueError(f"gradus.distributed.matmul: found shapes {m, k} of op(a), {l, n} of op(b) and {out.layout.shape} of out, wanted "
                         f"{m, k}, {k, n} and {m, n}")
    gemm.type = _TYPES[found.pop() if found else options["dtype"] or "float64"]
    gemm.m, gemm.n, gemm.k = m, n, k
    gemm.trans_a, gemm.trans_b = int(bool(options["trans_a"])), int(bool(options["trans_b"]))
    gemm.alpha, gemm.beta, gemm.memory_bytes = options["alpha"], options["beta"], int(options["memory"])
    gemm.threads = int(options["threads"])
    return out


def _refuse(comm, failed):
    """Tells the other ranks, which are in the product already, and raises on this one what all of them raise."""
    error, text = _Error(), " ".join(str(failed).split()).removeprefix("gradus.distributed.")
    _check(_lib.gradus_gemm_dist_refuse(comm._alive(), _INVALID, text.encode()[:470], _c.byref(error)), error)


def matmul(a, b, out, comm, *, alpha=1.0, beta=0.0, trans_a=False, trans_b=False, memory=0, threads=0, dtype=None):
    """C = alpha op(A) op(B) + beta C over all ranks of `comm`, which all call this with the same arguments but `local` arrays and
    `threads`. a and b are matrices: layout.of(array); out is one, or a layout, of which an array is made. Returns out, whose
    `local` is this rank's part of C.

    memory: bytes that a rank may take besides; 0: no limit. threads: of each rank's local product; 0: as gradus.matmul.
    dtype: wanted where a rank has no elements at all: "float32" or "float64"."""
    if not isinstance(comm, Communicator):
        raise TypeError(f"gradus.distributed.matmul: comm: found {type(comm)}, wanted a gradus.distributed.Communicator")
    handle, gemm, error = comm._alive(), _Gemm(), _Error()
    _lib.gradus_gemm_dist_init(_c.byref(gemm), _TYPES["float64"])
    options = {"alpha": alpha, "beta": beta, "trans_a": trans_a, "trans_b": trans_b, "memory": memory, "threads": threads, "dtype": dtype}
    try:
        out = _ask(gemm, a, b, out, comm.rank, options)
    except Exception as failed:
        _refuse(comm, failed)
    _check(_lib.gradus_gemm_dist_run(_c.byref(gemm), handle, _c.byref(error)), error)
    return out
