#!/bin/sh
# decode_nvdisasm.sh DECODE_RAW ROOT: gr_decode reads no instruction as another than nvdisasm does: of those in the cubins of
# DECODE_CUBINS (folders and files; without it, those that nvcc makes of kernels/ and tests/), and of DECODE_WORDS (default
# 20000) mutated ones. What it refuses, or accepts where nvdisasm does not, is counted. SPDX-License-Identifier: MIT
set -u
command -v nvdisasm >/dev/null || { echo 'skip: nvdisasm is missing' && exit 77; }
command -v python3 >/dev/null || { echo 'skip: python3 is missing' && exit 77; }
exec python3 "$2/tests/code/decode_nvdisasm.py" "$1" "$2"
