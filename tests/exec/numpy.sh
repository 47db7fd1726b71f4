#!/bin/sh
# numpy.sh GRADUS calls | own: the distribution's NumPy under gradus exec. calls: what reaches gemm, and the results; own:
# NumPy's own tests of products and of linear algebra, less those that take long (docs/drop-in.md has the whole line).
# SPDX-License-Identifier: MIT
set -u
gradus=$1 what=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER
export PYTHONDONTWRITEBYTECODE=1
skip() {
  echo "skip: NumPy: $*"
  exit 77
}

python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || skip "$python has none (apt-get install python3-numpy)"

# It must be a NumPy that calls the system's BLAS at all.
"$gradus" exec --format json -o "$work/report" "$python" -c 'import numpy as np; np.ones((9, 9)) @ np.eye(9)[:, :8]' ||
  exit 1
grep -q '"calls": 0,' "$work/report" && skip "$(sed -n 's/.*"why": "\(.*\)", "do".*/\1/p' "$work/report" | head -n 1)"

case $what in
calls)
  "$python" -c 'import scipy.linalg.blas' 2>/dev/null && export WITH_SCIPY=1
  [ "${WITH_SCIPY:-}" ] || echo "skip: SciPy's linalg.blas: there is none (apt-get install python3-scipy)"
  "$gradus" exec --format json -o "$work/report" "$python" "$here/numpy_calls.py" run || exit 1
  "$python" "$here/numpy_calls.py" check "$work/report"
  ;;
own)
  "$python" -c 'import pytest' 2>/dev/null || skip "its own tests need pytest (apt-get install python3-pytest)"
  [ -e "$("$python" -c 'import numpy; print(numpy.__path__[0])')/linalg/tests/test_linalg.py" ] ||
    skip "it came without its own tests"
  cd "$work" || exit 2
  # tests MODULE EXPRESSION LEAST: the module's tests that the expression chooses pass, and there are so many.
  tests() {
    "$gradus" exec --format json -o "$work/report" "$python" -m pytest -q -p no:cacheprovider --noconftest \
      -W ignore --pyargs "$1" -k "$2" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    passed=$(sed -n 's/^\([0-9]*\) passed.*/\1/p' "$work/log")
    calls=$(sed -n 's/.*"calls": \([0-9]*\),$/\1/p' "$work/report")
    echo "$1: $passed passed, $calls calls of gemm intercepted"
    [ "${passed:-0}" -ge "$3" ] && [ "${calls:-0}" -ge "$3" ] || { tail -n 3 "$work/log"; exit 1; }
  }
  tests numpy.linalg 'not ((TestCond or TestDet or TestPinv) and generalized)' 100
  core=$("$python" -c 'import numpy; print("_core" if numpy.__version__ >= "2" else "core")')
  tests numpy.$core.tests.test_multiarray '(matmul or MatMul or dot or Dot) and not huge' 80
  ;;
esac
