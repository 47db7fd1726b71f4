#!/usr/bin/env bash
# check_gpu.sh GRADUS: everything that needs a real NVIDIA GPU: every rung at edge shapes, in all its types and
# transposes; faults, each in a fresh context; the compiler's cache; two processes at once; matrices larger than the
# memory they may use; compute-sanitizer on every rung. One line a check; the last line counts them.
# SPDX-License-Identifier: MIT
#
# SANITIZE=0 leaves the sanitizer out, ONLY=WORD runs the parts whose names hold the word.
set -u
gradus=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-gpu.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
export XDG_CACHE_HOME=$out/cache GRADUS_HISTORY=
passed=0 failed=0 skipped=0

"$gradus" run "$here/faults/right.cu" --size 64 --verify-only >"$out/first" 2>&1
if (($? != 0)); then
  cat "$out/first"
  echo "check-gpu: nothing was checked: a kernel without a fault does not run here"
  exit 3
fi

# check NAME WANTED COMMAND…: the exit status must be WANTED.
check() {
  local name=$1 wanted=$2 code
  shift 2
  if [[ $name != *"${ONLY:-}"* ]]; then return; fi
  "$@" >"$out/said" 2>&1 </dev/null
  code=$?
  if ((code == wanted)); then
    passed=$((passed + 1))
    echo "pass  $name"
  elif ((code == 77)); then
    skipped=$((skipped + 1))
    echo "skip  $name: $(head -n 1 "$out/said")"
  else
    failed=$((failed + 1))
    echo "FAIL  $name: status $code, wanted $wanted: $*"
    sed 's/^/      /' "$out/said" | tail -n 25
  fi
}

# Each row is also verified at some ninety edge shapes, padded and not, with alpha 1.5 and beta 0.5, and from a C of NaN.
shapes() {
  for size in 1 257x129x65 16x1000x333 1000x16x7 130x131x2049; do
    check "rungs f32 $size" 0 "$gradus" ladder --device cuda --verify-only --peer none --size $size
    check "rungs f64 $size" 0 "$gradus" ladder --device cuda --verify-only --peer none --size $size --dtype f64
  done
  for trans in nt tn tt; do
    check "12 $trans" 0 "$gradus" ladder --device cuda --kernels 12 --verify-only --size 300x200x100,1024 --trans $trans
  done
  for trans in nn nt tn tt; do
    check "tf32, fp8 $trans" 0 "$gradus" ladder --device cuda --kernels 25,26 --verify-only --peer none --trans $trans \
      --size 300x200x100,1023,1024
    check "tf32, packed $trans" 0 "$gradus" ladder --device cuda --kernels 25 --verify-only --peer none --trans $trans \
      --size 300x200x100 --param BY_MAP=0
    for type in bf16-bf16 f16-f16; do
      check "$type $trans" 0 "$gradus" ladder --device cuda --kernels 16,17,18,19,20 --verify-only --peer none --trans $trans \
        --size 300x200x100,1023 --dtype $type
    done
    for type in e5m2 e4m3-bf16 e5m2-bf16; do
      check "$type $trans" 0 "$gradus" ladder --device cuda --kernels 26 --verify-only --peer none --trans $trans \
        --size 300x200x100,1023 --dtype $type
    done
  done
  check "12, K cut finely" 0 "$gradus" ladder --device cuda --kernels 12 --verify-only --size 64x64x65536,128x256x20000
  check "fill: integers are exact" 0 "$gradus" ladder --device cuda --verify-only --peer none --size 200 --fill integer
  check "peers" 0 "$gradus" bench --device cuda --kernels none --size 333 --peer cublas --peer cublas-tf32 \
    --peer cublaslt --peer cublaslt-tf32
  for type in f64 bf16 f16 bf16-bf16 f16-f16; do
    check "peers $type" 0 "$gradus" bench --device cuda --kernels none --size 333 --dtype $type --peer cublas --peer cublaslt
  done
  for type in e4m3 e4m3-bf16; do
    check "peers $type" 0 "$gradus" bench --device cuda --kernels none --size 336 --dtype $type --trans nt --peer cublaslt \
      --peer cublaslt-fast
  done
}

faults() {
  for file in "$here"/faults/*.cu; do
    check "fault $(basename "$file" .cu)" 0 "$here/../faults/run.sh" "$gradus" "$file"
  done
  check "a fault costs its own row only" 1 sh -c \
    "'$gradus' run '$here/faults/illegal_address.cu' '$here/faults/right.cu' --size 128 --verify-only >'$out/rows'; code=\$?
     grep -q '^right .*right' '$out/rows' && exit \$code; cat '$out/rows'"
}

caches() {
  export XDG_CACHE_HOME=$out/fresh
  check "cache: empty" 0 "$gradus" run "$here/faults/right.cu" --size 64 --verify-only
  check "cache: full" 0 "$gradus" run "$here/faults/right.cu" --size 64 --verify-only
  for entry in "$out"/fresh/gradus/jit/*; do printf X | dd of="$entry" bs=1 seek=900 conv=notrunc status=none; done
  check "cache: every entry damaged" 0 "$gradus" run "$here/faults/right.cu" --size 64 --verify-only
  for entry in "$out"/fresh/gradus/jit/*; do truncate -s 100 "$entry"; done
  check "cache: every entry cut short" 0 "$gradus" run "$here/faults/right.cu" --size 64 --verify-only
  check "cache: --no-cache" 0 "$gradus" run "$here/faults/right.cu" --size 64 --verify-only --no-cache
  export XDG_CACHE_HOME=$out/both
  check "two processes at once" 0 sh -c \
    "'$gradus' ladder --device cuda --verify-only --size 65 & '$gradus' ladder --device cuda --verify-only --size 65 && wait \$!"
  export XDG_CACHE_HOME=$out/cache
}

matrices() {
  command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null || {
    skipped=$((skipped + 1))
    echo "skip  matrices: no python3 with numpy"
    return
  }
  (cd "$out" && python3 - <<'END'
import numpy as np
rng = np.random.default_rng(1)
np.save("a.npy", rng.random((1500, 2100), np.float32)); np.save("b.npy", rng.random((2100, 1100), np.float32))
np.save("c.npy", rng.random((1500, 1100), np.float32))
np.save("at.npy", rng.random((2100, 1500))); np.save("bt.npy", rng.random((1100, 2100)))
END
  )
  for mem in 1M 3M 64M; do
    check "gemm f32, $mem" 0 "$gradus" gemm "$out/a.npy" "$out/b.npy" -o "$out/d.npy" --device cuda --device-mem $mem --verify
    check "gemm f32 with C0, $mem" 0 "$gradus" gemm "$out/a.npy" "$out/b.npy" --c "$out/c.npy" --alpha 0.5 --beta 2 \
      -o "$out/d.npy" --device cuda --device-mem $mem --verify
    check "gemm f64 transposed, $mem" 0 "$gradus" gemm "$out/at.npy" "$out/bt.npy" --trans-a --trans-b -o "$out/d.npy" \
      --device cuda --device-mem $mem --verify
  done
  check "gemm, all of the memory" 0 "$gradus" gemm "$out/a.npy" "$out/b.npy" -o "$out/d.npy" --device cuda --verify
}

sanitizer() {
  local tool
  if [[ ${SANITIZE:-1} == 0 ]]; then return; fi
  if ! command -v compute-sanitizer >/dev/null; then
    for folder in /usr/local/cuda*/bin; do [[ -x $folder/compute-sanitizer ]] && PATH=$PATH:$folder; done
  fi
  if ! command -v compute-sanitizer >/dev/null; then
    skipped=$((skipped + 1))
    echo "skip  sanitizer: no compute-sanitizer (it comes with the CUDA toolkit)"
    return
  fi
  sanitize() { compute-sanitizer --tool "$1" --target-processes all --error-exitcode 9 "$gradus" "${@:2}"; }
  # Faults first: a check that could not fail would be none.
  check "memcheck finds a planted fault" 9 sanitize memcheck run "$here/faults/illegal_address.cu" --size 64 --verify-only
  check "racecheck finds a planted race" 9 sanitize racecheck run "$here/faults/races.cu" --size 128 --verify-only
  check "initcheck finds a planted read" 9 sanitize initcheck run "$here/faults/uninitialised.cu" --size 64 --verify-only
  for tool in memcheck racecheck initcheck; do
    for rung in $("$gradus" list --device cuda --format names); do
      check "$tool $rung" 0 sanitize $tool ladder --device cuda --kernels "$rung" --verify-only --peer none \
        --size 130x70x37 --time-limit 120
    done
  done
}

shapes
faults
caches
matrices
sanitizer
echo "check-gpu: $passed passed, $failed failed, $skipped skipped"
((failed == 0))
