"""_library.py: finds libgradus.so, and says in ctypes' words what gradus.h declares. SPDX-License-Identifier: MIT"""
import ctypes
import os
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_void_p
from pathlib import Path

SONAME = "libgradus.so.0"
INTERFACE = "0.1."  # versions with the structures below

# enum gradus_status
INVALID, UNSUPPORTED, NO_MEMORY = 1, 3, 4
# enum gradus_layout, enum gradus_type
ROW_MAJOR, COL_MAJOR = 0, 1
F32, F64, BF16, S8, U8, S32 = range(6)


class Error(ctypes.Structure):
    """struct gradus_error"""

    _fields_ = [("status", c_int), ("text", c_char * 512), ("log", c_void_p)]


class Gemm(ctypes.Structure):
    """struct gradus_gemm; a test compares it with the header"""

    _fields_ = [
        ("a_type", c_int),
        ("b_type", c_int),
        ("c_type", c_int),
        ("sum_type", c_int),
        ("layout", c_int),
        ("trans_a", c_int),
        ("trans_b", c_int),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("alpha", c_double),
        ("beta", c_double),
        ("a", c_void_p),
        ("lda", c_int64),
        ("b", c_void_p),
        ("ldb", c_int64),
        ("c", c_void_p),
        ("ldc", c_int64),
        ("threads", c_int),
        ("batch", c_int64),
        ("stride_a", c_int64),
        ("stride_b", c_int64),
        ("stride_c", c_int64),
        ("a_array", c_void_p),
        ("b_array", c_void_p),
        ("c_array", c_void_p),
        ("epilogue", c_void_p),
        ("packed_a", c_void_p),
        ("packed_b", c_void_p),
        ("context", c_void_p),
        ("workspace", c_void_p),
        ("workspace_bytes", c_int64),
    ]


def _candidates():
    """Paths, the first that exists counts; then a name for the loader. What the variable names must be there."""
    named = os.environ.get("GRADUS_LIBRARY")
    if named:
        return [named]
    here = Path(__file__).resolve().parent
    found = [here / SONAME]
    if (here.parent.parent / "include" / "gradus" / "gradus.h").is_file():
        found.append(here.parent.parent / "build" / SONAME)
    return [str(path) for path in found if path.is_file()][:1] or [SONAME]


def _load():
    (name,) = _candidates()
    try:
        loaded = ctypes.CDLL(name)
        loaded.gradus_set_threads  # not in the first 0.1
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"gradus: cannot load '{name}': {error}; build the library (make build) or install it (make install), "
            "or name it in GRADUS_LIBRARY"
        ) from None
    loaded.gradus_version.restype = c_char_p
    found = loaded.gradus_version().decode()
    if not found.startswith(INTERFACE):
        raise ImportError(
            f"gradus: '{name}' is version {found}, wanted {INTERFACE}x; install the package and the library of one version"
        )
    loaded.gradus_gemm_run.argtypes = [POINTER(Gemm), POINTER(Error)]
    loaded.gradus_gemm_run.restype = c_int
    loaded.gradus_error_clear.argtypes = [POINTER(Error)]
    loaded.gradus_error_clear.restype = None
    return loaded


_loaded = _load()


def version():
    """The library's version, as "0.1.0"."""
    return _loaded.gradus_version().decode()


def library():
    """The path of the library, or its name where the system's loader found it."""
    return _loaded._name


def thread_count(threads):
    """As an int. ValueError for what is no number of threads."""
    count = int(threads)
    if count != threads or not 0 <= count <= 4096:
        raise ValueError(f"gradus: threads: found {threads!r}, wanted a number from 0 to 4096")
    return count


def set_threads(threads):
    """Sets how many threads products called by this thread use where `threads` is not given; 0: as many as GRADUS_NUM_THREADS,
    OMP_NUM_THREADS, or the process's affinity mask and cgroup allow. Returns the number before."""
    return _loaded.gradus_set_threads(thread_count(threads))


def run(gemm):
    """Computes a Gemm. ValueError, NotImplementedError, MemoryError or RuntimeError, with the library's line."""
    error = Error()
    status = _loaded.gradus_gemm_run(gemm, error)
    if not status:
        return
    text = error.text.decode(errors="replace")
    _loaded.gradus_error_clear(error)
    kinds = {INVALID: ValueError, UNSUPPORTED: NotImplementedError, NO_MEMORY: MemoryError}
    raise kinds.get(status, RuntimeError)(text)
