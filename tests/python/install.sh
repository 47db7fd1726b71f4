#!/bin/sh
# install.sh SOURCE LIBRARY GRADUS apart | isolated: the Python package by pip. apart: without build isolation, with the
# distribution's setuptools and NumPy and no network: from the tree, from a source distribution, for development.
# isolated: as a user has it, with what PyPI has today, and the package's tests with that. SPDX-License-Identifier: MIT
set -u
source=$1 library=$2 gradus=$3 what=$4
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
cp "$library" "$work/tree/build/libgradus.so.0"
cd "$work" || exit 2

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

  # From the tree: the library goes along, and the tree is not needed any more. The wheel is of this machine, and of any
  # Python.
  # shellcheck disable=SC2086 # words
  pip wheel $alone -w "$work/wheels" "$work/tree/python"
  case $(ls "$work/wheels") in
  gradus-"$("$gradus" --version | sed -n '1s/gradus //p')"-py3-none-linux_*.whl) ;;
  *) echo "found $(ls "$work/wheels"), wanted gradus-…-py3-none-linux_….whl"; exit 1 ;;
  esac
  # shellcheck disable=SC2086
  pip install $alone "$work/wheels"/gradus-*.whl
  mv "$work/tree" "$work/elsewhere"
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"
  mv "$work/elsewhere" "$work/tree"

  # A source distribution has no library: that of the environment, then the loader's.
  must "$python" -c 'import os, setuptools.build_meta as b; os.chdir("tree/python"); b.build_sdist("../../")'
  # shellcheck disable=SC2086
  pip install $alone --force-reinstall "$work"/gradus-*.tar.gz
  GRADUS_LIBRARY=$work/tree/build/libgradus.so.0 uses "$work/venv/bin/python" "$work/tree/build/libgradus.so.0"
  LD_LIBRARY_PATH=$work/tree/build uses "$work/venv/bin/python" libgradus.so.0
  "$work/venv/bin/python" -c 'import gradus' 2>"$work/log" && { echo "gradus without a library"; exit 1; }
  grep -q "^ImportError: gradus: cannot load 'libgradus.so.0'.*make install" "$work/log" || { cat "$work/log"; exit 1; }

  # For development: the sources themselves, with the library of their build tree.
  # shellcheck disable=SC2086
  pip install $alone -e "$work/tree/python"
  uses "$work/venv/bin/python" "$work/tree/build/libgradus.so.0"
  ;;
isolated)
  must "$python" -m venv "$work/venv"
  "$work/venv/bin/pip" download --quiet --timeout 5 --retries 0 --no-deps -d "$work/probe" wheel >/dev/null 2>&1 ||
    skip "PyPI cannot be reached"
  must "$work/venv/bin/pip" install --quiet "$work/tree/python" ml_dtypes
  mv "$work/tree" "$work/elsewhere"
  site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  uses "$work/venv/bin/python" "$site/gradus/libgradus.so.0"
  "$work/venv/bin/python" -c 'import numpy; print("NumPy", numpy.__version__)'
  "$work/venv/bin/python" "$source/tests/python/test_matmul.py" || exit 1
  ;;
esac
