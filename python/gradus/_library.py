"""_library.py: finds libgradus.so, and loads it. SPDX-License-Identifier: MIT"""
import os
from pathlib import Path

from . import _gradus

SONAME = "libgradus.so.0"


def _path():
    """The first that exists, or a name for the system's loader. What the variable names must be there."""
    named = os.environ.get("GRADUS_LIBRARY")
    if named:
        return named
    here = Path(__file__).resolve().parent
    found = here / SONAME, Path(_gradus.__file__).resolve().parent / SONAME
    return next((str(path) for path in found if path.is_file()), SONAME)


def _load():
    path = _path()
    try:
        _gradus.load(path)
    except OSError as error:
        raise ImportError(
            f"gradus: cannot load '{path}': {error}; build the library (make build) or install it (make install), "
            "or name it in GRADUS_LIBRARY"
        ) from None
    return path


_loaded = _load()


def library():
    """The path of the library, or its name where the system's loader found it."""
    return _loaded
