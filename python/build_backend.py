"""build_backend.py: what pip calls. Where a built library is to be had, it goes into the package, by setuptools (setup.py).
Otherwise scikit-build-core builds it by the CMake of the source tree. SPDX-License-Identifier: MIT
"""
import os
import shutil
import tarfile
from pathlib import Path

from setuptools import build_meta as by_setuptools

HERE = Path(__file__).resolve().parent
SONAME = "libgradus.so.0"
MODULE = "_gradus.abi3.so"
# What CMake reads to build the library, in the source tree.
SOURCES = "CMakeLists.txt", "LICENSE", "cmake", "devices", "docs", "findings", "include", "kernels", "packaging", "python/module", "scripts", "src"


def built():
    """The library and the module beside it: those that GRADUS_LIBRARY names, or of the build folder; None: there are none."""
    named = os.environ.get("GRADUS_LIBRARY")
    library = Path(named) if named else HERE.parent / "build" / SONAME
    found = library, library.parent / MODULE
    missing = [path for path in found if not path.is_file()]
    if named and missing:
        raise SystemExit(f"gradus: GRADUS_LIBRARY: no file '{missing[0]}': name libgradus.so.0 in a build folder, or nothing")
    return None if missing else found


def sources():
    """The tree in which the package lies, or what its source distribution holds of it."""
    for tree in (HERE.parent, HERE / "libgradus"):
        if (tree / "CMakeLists.txt").is_file() and (tree / "include" / "gradus" / "gradus.h").is_file():
            return tree
    return None


def _cmake(settings):
    """scikit-build-core, and the settings that it is to have; a reason in one line where it could not build."""
    tree = sources()
    if not tree:
        raise SystemExit("gradus: neither the library nor its sources are here: name the libgradus.so.0 of a build folder in GRADUS_LIBRARY")
    compilers = os.environ.get("CC", "").split()[:1] or ["cc", "gcc", "clang"]
    if not any(shutil.which(name) for name in compilers):
        raise SystemExit(
            "gradus: no C compiler to build the library with: apt-get install gcc, or name the libgradus.so.0 of a build folder in GRADUS_LIBRARY"
        )
    try:
        from scikit_build_core import build as by_cmake
    except ImportError:
        raise SystemExit(
            "gradus: the library is not built, and there is no scikit-build-core to build it with: make build, or pip install "
            "scikit-build-core"
        ) from None
    return by_cmake, {**(settings or {}), "cmake.source-dir": str(tree)}


def get_requires_for_build_wheel(config_settings=None):
    if built():
        return by_setuptools.get_requires_for_build_wheel(config_settings)
    backend, settings = _cmake(config_settings)
    return backend.get_requires_for_build_wheel(settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    if built():
        return by_setuptools.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
    backend, settings = _cmake(config_settings)
    return backend.prepare_metadata_for_build_wheel(metadata_directory, settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if built():
        return by_setuptools.build_wheel(wheel_directory, config_settings, metadata_directory)
    backend, settings = _cmake(config_settings)
    return backend.build_wheel(wheel_directory, settings, metadata_directory)


def get_requires_for_build_editable(config_settings=None):
    return by_setuptools.get_requires_for_build_editable(config_settings)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The sources themselves, which look for the library in the build folder."""
    if not built():
        raise SystemExit("gradus: an editable installation takes the library of the build folder, and there is none: make build")
    return by_setuptools.build_editable(wheel_directory, config_settings, metadata_directory)


def get_requires_for_build_sdist(config_settings=None):
    return by_setuptools.get_requires_for_build_sdist(config_settings)


def build_sdist(sdist_directory, config_settings=None):
    """With the library's sources beside the package, so that pip can build it from the archive too."""
    name = by_setuptools.build_sdist(sdist_directory, config_settings)
    tree, archive = sources(), Path(sdist_directory) / name
    if not tree:
        return name
    part = archive.with_suffix(".part")
    with tarfile.open(archive) as old, tarfile.open(part, "w:gz") as new:
        for member in old:
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
        for source in SOURCES:
            if (tree / source).exists():
                new.add(tree / source, f"{name[: -len('.tar.gz')]}/libgradus/{source}")
    part.replace(archive)
    return name
