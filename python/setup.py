"""setup.py: puts the shared library into the package where it is built already; all else is in pyproject.toml.
SPDX-License-Identifier: MIT"""
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:  # setuptools 70.1 and later has its own
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

from build_backend import SONAME, library


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
