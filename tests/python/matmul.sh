#!/bin/sh
# matmul.sh SOURCE LIBRARY LAYOUT GRADUS: the Python package's tests, from the tree, with the distribution's NumPy; and its
# products are counted by gradus exec. SPDX-License-Identifier: MIT
set -u
export PYTHONPATH="$1/python" GRADUS_LIBRARY="$2" GRADUS_LAYOUT="$3" PYTHONDONTWRITEBYTECODE=1
gradus=$4
/usr/bin/python3 -c 'import numpy' 2>/dev/null ||
  { echo "skip: the Python package: /usr/bin/python3 has no NumPy (apt-get install python3-numpy)"; exit 77; }
/usr/bin/python3 "$1/tests/python/test_matmul.py" || exit 1
found=$("$gradus" exec --format json /usr/bin/python3 -c '
import gradus, numpy as np
gradus.matmul(np.ones((7, 3, 4)), np.ones((4, 5)), trans_a=False)
gradus.matmul(np.ones((6, 4), "f4"), np.ones((5, 4), "f4").T)' 2>&1 | sed -n '/"shapes"/,/]/s/, "time_ns.*//p' | sort)
wanted='    {"routine": "gradus_gemm_run f32", "layout": "row", "trans": "nt", "m": 6, "n": 5, "k": 4, "calls": 1, "flop": 240
    {"routine": "gradus_gemm_run f64", "layout": "row", "trans": "nn", "m": 3, "n": 5, "k": 4, "calls": 1, "flop": 840'
[ "$found" = "$wanted" ] || { echo "gradus exec counted:"; echo "$found"; exit 1; }
