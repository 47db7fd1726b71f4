#!/bin/sh
# cuda.sh SOURCE LIBRARY RECORDER MODULE FOLDER: the Python package's products of arrays on a GPU, without one: with stand-ins for
# array libraries and for the driver (in FOLDER). SPDX-License-Identifier: MIT
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-python.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/gradus" && cp "$1"/python/gradus/*.py "$4" "$work/gradus/" || exit 2
export PYTHONPATH="$work:$1/tests/python" PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME="$work"
export GRADUS_CUDA_DRIVER="$5/libfake_driver.so" GRADUS_NVRTC="$5/libfake_nvrtc.so" GRADUS_FAKE_DEVICES=2
python=/usr/bin/python3
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  { echo "skip: the Python package: $python is missing or older than 3.10 (apt-get install python3)"; exit 77; }
"$python" -c 'import numpy' 2>/dev/null ||
  { echo "skip: the Python package: $python has no NumPy (apt-get install python3-numpy)"; exit 77; }
GRADUS_LIBRARY=$3 GRADUS_REAL_LIBRARY=$2 "$python" "$1/tests/python/test_cuda.py" || exit 1
GRADUS_LIBRARY=$2 "$python" "$1/tests/python/test_cuda_launches.py" || exit 1
