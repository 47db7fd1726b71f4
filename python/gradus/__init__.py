"""Matrix products of NumPy's, PyTorch's and other arrays by libgradus. SPDX-License-Identifier: MIT

    matmul(a, b)        as numpy.matmul, and out, alpha, beta, transposes, bias, activation, threads
    set_threads(n)      how many threads products of this thread use
    version()           of the library
    library()           where it was found
    distributed         a module for products over many processes; import gradus.distributed
"""
from pathlib import Path as _Path

_tree = _Path(__file__).resolve().parent.parent.parent
if (_tree / "include" / "gradus" / "gradus.h").is_file():  # the source tree: the module is in its build folder
    __path__.append(str(_tree / "build"))

from ._library import library
from ._gradus import matmul, set_threads, version

__all__ = ["library", "matmul", "set_threads", "version"]
__version__ = "0.1.0"
