#!/bin/sh
# matmul.sh SOURCE LIBRARY RECORDER GRADUS MODULE: the Python package's tests, with the distribution's NumPy; and its products
# are counted by gradus exec. SPDX-License-Identifier: MIT
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-python.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/gradus" && cp "$1"/python/gradus/*.py "$5" "$work/gradus/" || exit 2
export PYTHONPATH="$work" GRADUS_LIBRARY="$2" PYTHONDONTWRITEBYTECODE=1
recorder=$3 gradus=$4 python=/usr/bin/python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { echo "skip: the Python package: $python is missing or older than 3.10 (apt-get install python3)"; exit 77; }
"$python" "$1/tests/python/test_dlpack.py" || exit 1
"$python" -c 'import numpy' 2>/dev/null ||
  { echo "skip: the Python package: $python has no NumPy (apt-get install python3-numpy)"; exit 77; }
"$python" "$1/tests/python/test_matmul.py" || exit 1
GRADUS_LIBRARY=$recorder "$python" "$1/tests/python/test_handed_over.py" || exit 1
torch_python=${GRADUS_TORCH_PYTHON:-$python}
if "$torch_python" -c 'import torch, sys; sys.exit(not hasattr(torch.library, "custom_op"))' 2>/dev/null; then
  "$torch_python" "$1/tests/python/test_torch.py" || exit 1
else
  echo "skip: the Python package with PyTorch: $torch_python has no PyTorch 2.4 or later; GRADUS_TORCH_PYTHON names another Python"
fi
found=$("$gradus" exec --format json "$python" -c '
import gradus, numpy as np
gradus.matmul(np.ones((7, 3, 4)), np.ones((4, 5)), trans_a=False)
gradus.matmul(np.ones((6, 4), "f4"), np.ones((5, 4), "f4").T)' 2>&1 | sed -n '/"shapes"/,/]/s/, "time_ns.*//p' | sort)
wanted='    {"routine": "gradus_gemm_run f32", "layout": "row", "trans": "nt", "m": 6, "n": 5, "k": 4, "calls": 1, "flop": 240
    {"routine": "gradus_gemm_run f64", "layout": "row", "trans": "nn", "m": 3, "n": 5, "k": 4, "calls": 1, "flop": 840'
[ "$found" = "$wanted" ] || { echo "gradus exec counted:"; echo "$found"; exit 1; }
