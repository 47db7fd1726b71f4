"""setup.py: puts the library and the module into the package where they are built already; all else is in pyproject.toml.
SPDX-License-Identifier: MIT"""
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:  # setuptools 70.1 and later has its own
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

from build_backend import MODULE, SONAME, built


class BuildWithLibrary(build_py):
    """What an earlier build left in its folder does not count."""

    def run(self):
        super().run()
        found = None if self.editable_mode else built()
        for place, name in enumerate((SONAME, MODULE)):
            target = Path(self.build_lib) / "gradus" / name
            target.unlink(missing_ok=True)
            if found:
                shutil.copyfile(found[place], target)


class PlatformWheel(bdist_wheel):
    """Of one machine, and of any Python that has the module's stable ABI."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("cp310", "abi3", platform) if built() else (python, abi, platform)


class MaybeBinary(Distribution):
    def has_ext_modules(self):
        return built() is not None


# Before setuptools 64 there is no such mode, and no such attribute.
BuildWithLibrary.editable_mode = False
setup(distclass=MaybeBinary, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
