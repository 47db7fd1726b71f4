"""Products of NumPy arrays by libgradus. SPDX-License-Identifier: MIT

    matmul(a, b)        as numpy.matmul, and out, alpha, beta, transposes, threads
    set_threads(n)      how many threads products of this thread use
    version()           of the library
    library()           where it was found
"""
from ._library import library, set_threads, version
from ._matmul import matmul

__all__ = ["library", "matmul", "set_threads", "version"]
__version__ = "0.1.0"
