"""setup.py: puts the shared library into the package where there is one to be had; all else is in pyproject.toml.

The library is GRADUS_LIBRARY, or that of the build folder beside this one. Without either, as from a source distribution,
the package holds no library and looks for an installed one. SPDX-License-Identifier: MIT
"""
import os
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:  # setuptools 70.1 and later has its own
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

SONAME = "libgradus.so.0"


def library():
    named = os.environ.get("GRADUS_LIBRARY")
    if named:
        if not Path(named).is_file():
            raise SystemExit(f"gradus: GRADUS_LIBRARY: no file '{named}'")
        return Path(named)
    built = Path(__file__).resolve().parent.parent / "build" / SONAME
    return built if built.is_file() else None


class BuildWithLibrary(build_py):
    """What an earlier build left in its folder does not count."""

    def run(self):
        super().run()
        target = Path(self.build_lib) / "gradus" / SONAME
        target.unlink(missing_ok=True)
        found = None if self.editable_mode else library()
        if found:
            shutil.copyfile(found, target)


class PlatformWheel(bdist_wheel):
    """With the library in it, a wheel is of one machine, and still of any Python."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform) if library() else (python, abi, platform)


class MaybeBinary(Distribution):
    def has_ext_modules(self):
        return library() is not None


# Before setuptools 64 there is no such mode, and no such attribute.
BuildWithLibrary.editable_mode = False
setup(distclass=MaybeBinary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
