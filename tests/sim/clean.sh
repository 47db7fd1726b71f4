#!/usr/bin/env bash
# clean.sh GRADUS KERNEL [OPTION…]: a kernel without faults, simulated at edge shapes: there must be no finding of the kinds
# that say that a kernel is wrong. What the kernel does not do or need not run is left out. SPDX-License-Identifier: MIT
#
# SHAPES and DEVICE in the environment replace the shapes and `sim`, which a line "//! device …" does too. "//! size …" lines
# in the file replace the shapes; "//! run SIZE": `gradus run` must find the product right there; "// with NAME VALUE"
# becomes the option --NAME.
set -u
gradus=$1 kernel=$2
shift 2
here=$(dirname "$0")
# What the simulator sees of a source does not depend on a GPU's compiler.
[[ "$*" == *'--engine code'* ]] || export GRADUS_NVRTC=/missing.so GRADUS_HIPRTC=/missing.so
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-clean.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
shapes=(1 2x3x5 33x47x29 64 65x63x66 127x129x31 128 1x300x7 300x1x9 255x257x16)
[[ -z ${SHAPES:-} ]] || read -ra shapes <<<"$SHAPES"
passed=0 left=0 failed=0 runs=()
device=${DEVICE:-sim}
[[ ! -f $kernel ]] || own_device=$(sed -n 's|^//! device ||p' "$kernel")
options=(--device "${own_device:-$device}" "$@") edges=yes
if [[ -f $kernel ]]; then
  read -ra own <<<"$(sed -n 's|^//! size ||p' "$kernel" | tr '\n' ' ')"
  ((${#own[@]} == 0)) || shapes=("${own[@]}")
  read -ra runs <<<"$(sed -n 's|^//! run ||p' "$kernel" | tr '\n' ' ')"
  while read -r key value; do
    options+=("--$key" "$value")
  done < <(sed -n 's|^// with ||p' "$kernel")
fi

for shape in "${shapes[@]}"; do
  timeout 100 "$gradus" explain "$kernel" --size "$shape" --shapes "$edges" "${options[@]}" --format json >"$out/json" 2>"$out/err" </dev/null
  code=$?
  if grep -q -e 'cannot simulate here' -e 'engine code needs' "$out/err" "$out/json"; then
    echo "skip: $(grep -h -o -e 'cannot simulate here.*' -e 'engine code needs.*' "$out/err" "$out/json" | head -n 1)"
    exit 77
  elif grep -q 'cannot open source file "\(nv\|cuda\|crt\)/' "$out/err"; then
    echo "skip: the toolkit's headers are not beside NVRTC: pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"
    exit 77
  elif ! "${FLATTEN:-$here/flatten.awk}" "$out/json" >"$out/flat" 2>/dev/null; then
    echo "FAIL $kernel $shape (exit status $code): $(head -n 1 "$out/err")"
    failed=$((failed + 1))
  elif ! grep -q '^sites\.0\.' "$out/flat"; then
    left=$((left + 1))
    grep -E '^(skip|refused|notes)' "$out/flat" | sed "s|^|$shape: |"
  elif awk -F'\t' -f "$here/findings.awk" "$out/flat" | awk -v fixed=1 -f "$here/compare.awk" /dev/null - >"$out/said"; then
    passed=$((passed + 1))
    edges=no # once is enough
  else
    echo "FAIL gradus explain $kernel --size $shape ${options[*]}"
    cat "$out/said"
    failed=$((failed + 1))
  fi
done
for size in "${runs[@]}"; do
  if ! timeout 100 "$gradus" run "$kernel" --size "$size" "${options[@]}" --verify-only --shapes no --peer none >"$out/run" 2>&1 </dev/null; then
    echo "FAIL gradus run $kernel --size $size ${options[*]}"
    head -n 6 "$out/run"
    failed=$((failed + 1))
  fi
done
echo "$passed of ${#shapes[@]} shapes without a finding, $left not simulated, $failed with"
((failed == 0 && passed > 0))
