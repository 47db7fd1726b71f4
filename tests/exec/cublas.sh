#!/bin/sh
# cublas.sh GRADUS LOADER CALLER FOLDER: gradus exec --gpu, with stand-ins for cuBLAS (loaded as PyTorch loads it) and for
# the driver (in FOLDER): who computes which call with which arguments, and what the report says. SPDX-License-Identifier: MIT
set -u
gradus=$1 loader=$2 caller=$3 folder=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER GRADUS_MATH GRADUS_FAKE_FAIL
export GRADUS_CUDA_DRIVER="$folder/libfake_driver.so" GRADUS_NVRTC="$folder/libfake_nvrtc.so" XDG_CACHE_HOME="$work"
export GRADUS_FAKE_LOG="$work/launches" STAND_IN_LOG="$work/told" GRADUS_FAKE_NVRTC_ARCHS=80,87,90,110
failed=0
fail() {
  echo "$*"
  failed=1
}

# runs WORD OPTION…: the caller does what the word says under gradus exec --gpu, and finds nothing wrong.
runs() {
  word=$1
  shift
  rm -f "$GRADUS_FAKE_LOG" "$STAND_IN_LOG"
  "$gradus" exec --gpu "$@" --format json -o "$work/report" "$loader" "$caller" "$word" >"$work/out" 2>&1 ||
    { fail "$word: wrong:"; cat "$work/out"; }
}
# has PATTERN: a line of the report.
has() {
  grep -q "$1" "$work/report" || { fail "not in the report: $1"; cat "$work/report"; }
}

# It shows cuBLAS's functions, and no BLAS of the CPU's.
if command -v nm >/dev/null; then
  others=$(nm -D --defined-only "$(dirname "$gradus")/libgradus-cublas.so" | awk '$3 !~ /^cublas/ { print $3 }')
  [ -z "$others" ] || fail "exported: $others"
fi
"$loader" "$caller" alone || fail "without gradus exec, the stand-in is not called"
runs ieee --math ieee
has '"routine": "cublasSgemm_v2", "calls": 4, .*"passed_on": null'
has '"routine": "cublasSgemm_v2", "layout": "col", "trans": "nt", "m": 300, "n": 200, "k": 100, "calls": 1, "flop": 12000000,'
has '"routine": "cublasSgemmStridedBatched", "calls": 1, "flop": 8589934592,'
has '"routine": "cublasLtMatmul", "calls": 11, .*"passed_on": null'
has '"routine": "cublasSgemmBatched", "calls": 1, "flop": 108000000, .*"passed_on": null'
has '"routine": "cublasDgemmBatched", .*"calls": 1, .*"passed_on": "f64"'
has '"routine": "cublasDgemmBatched", .*"calls": 1, .*"passed_on": null'
has '"routine": "cublasGemmBatchedEx", .*"calls": 2, .*"passed_on": null'
has '"routine": "cublasLtMatmul", "calls": 3, .*"passed_on": "epilogue"'
has '"routine": "cublasLtMatmul", .*"passed_on": "pointer-mode"'
has '"routine": "cublasLtMatmul", "calls": 1, .*"passed_on": "small-bias"'
has '"routine": "cublasLtMatmul", "calls": 5, .*"passed_on": "layout"'

runs default
for reason in pointer-mode tf32 layout narrow refused f64 small-batch arrays bf16 types; do
  has "\"passed_on\": \"$reason\""
done
has '"routine": "cublasGemmEx", "calls": 1, .*"passed_on": "bf16"'
has '"routine": "cublasSgemm_v2", "calls": 5, .*"passed_on": null'
has 'a: found host memory'
grep -q '"routine": "cublasLtMatmul"' "$work/report" && fail "a call within a call was counted"

# Timed by events: calls that gradus computed and calls that were passed on, but none in a capture.
runs default --time
has '"routine": "cublasSgemm_v2", "calls": 5, .*"gpu_calls": 2, "gpu_time_ns": [1-9].*"passed_on": null'
has '"routine": "cublasDgemm_v2", "calls": 1, .*"gpu_calls": 1, "gpu_time_ns": [1-9].*"gflops": .*"passed_on": "f64"'
has '"trans": "nt", "m": 64, "n": 64, "k": 64, "calls": 1, .*"gpu_calls": 1, .*"passed_on": "pointer-mode"'

export GRADUS_FAKE_FAIL=launch:719
runs launch
has '"routine": "cublasSgemm_v2", "calls": 1, .*"passed_on": "failed"'
has 'an earlier kernel of this process'
export GRADUS_FAKE_FAIL=alloc:2:5
runs memory --math accurate
has '"passed_on": "memory"'
unset GRADUS_FAKE_FAIL
runs threads --time
has '"threads_calling": 4,'
has '"routine": "cublasSgemm_v2", "calls": 100, .*"gpu_calls": 100, .*"passed_on": null'
runs fork
has '"processes_calling": 2,'
has 'forked from one that has used the GPU'

# The table.
rm -f "$GRADUS_FAKE_LOG" "$STAND_IN_LOG"
"$gradus" exec --gpu --top 1 "$loader" "$caller" default >"$work/out" 2>&1
sed 's/[0-9.]* [num]*s$/TIME/; s/; [0-9.]* [num]*s in all/; …/; s/  */ /g' "$work/out" >"$work/table"
for line in 'gradus: 26 calls of cuBLAS intercepted: 11 computed by gradus, 15 passed on; …' \
  ' cublasSgemm_v2 5 68.72 TIME' ' cublasSgemm_v2 NN 2048x2048x2048 4 68.72 TIME' \
  ' because: the arrays of addresses are in the GPU.s memory (--math ieee takes them)'; do
  grep -q "^$line$" "$work/table" || { fail "not in the table: $line"; cat "$work/out"; }
done

# Nothing to count, and nothing to do.
"$gradus" exec --gpu "$loader" "$caller" nothing 2>"$work/err"
tr -s ' \n' ' ' <"$work/err" | grep -q 'why: .*libcublas.*was loaded, but none of its products was called' ||
  { fail "why nothing was called"; cat "$work/err"; }
"$gradus" exec --gpu ls / 2>&1 >"$work/out" | grep -q 'no process of it had cuBLAS at its end' || fail "why, without cuBLAS"
for bad in '--time' '--gpu --time -q' '--math ieee' '--gpu --threads 2' '--gpu --math fast'; do
  # shellcheck disable=SC2086 # words
  "$gradus" exec $bad touch "$work/touched" >"$work/out" 2>&1
  [ $? = 2 ] && [ ! -e "$work/touched" ] || fail "$bad: not refused"
done
exit $failed
