#!/bin/sh
# pypi.sh GRADUS: NumPy, SciPy and scikit-learn as pip gets them from PyPI, under gradus exec: what reaches gemm, and the
# results. SPDX-License-Identifier: MIT
set -u
gradus=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
skip() {
  echo "skip: NumPy of PyPI: $*"
  exit 77
}

command -v python3 >/dev/null || skip "no python3"
python3 -m venv "$work/venv" >"$work/log" 2>&1 || skip "no virtual environment can be made (apt-get install python3-venv)"
python=$work/venv/bin/python
"$python" -m pip install -q --only-binary :all: --retries 1 --timeout 15 numpy scipy scikit-learn >"$work/log" 2>&1 ||
  skip "pip cannot get it: $(grep -i error "$work/log" | tail -n 1)"

GEMM_CBLAS=scipy_cblas_%sgemm64_ GEMM_FORTRAN=scipy_%sgemm_
export GEMM_CBLAS GEMM_FORTRAN WITH_SCIPY=1 WITH_SKLEARN=1
"$gradus" exec --format json -o "$work/report" "$python" "$here/numpy_calls.py" run || exit 1
"$python" "$here/numpy_calls.py" check "$work/report"
