#!/usr/bin/env bash
# test_check_amd.sh GRADUS: scripts/check-amd.sh without an AMD GPU, with a simulated one in its place, and where a step fails.
# SPDX-License-Identifier: MIT
set -u
gradus=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-check-amd.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
failed=0
complain() {
  echo "$1"
  failed=1
}

# check WANTED KFD GRADUS: the exit status, with what it prints in $out/said and $out/report.
check() {
  KFD=$2 GRADUS=$3 DEVICE=sim:mi210 SIZES=64 "$root/scripts/check-amd.sh" "$out/report" >"$out/said" 2>&1
  local code=$?
  ((code == $1)) || complain "exit status $code, wanted $1: $(cat "$out/said")"
}

check 77 "$out/none" "$gradus"
grep -q '^skip: no AMD GPU' "$out/said" || complain "it does not say that there is no GPU: $(cat "$out/said")"
: >"$out/kfd"
check 2 "$out/kfd" "$out/none"

cat >"$out/failing" <<SH
#!/bin/sh
[ "\$1" != ladder ] || exit 1
[ "\$1" != devices ] || { echo 'the devices'; exit 0; }
exit 0
SH
chmod +x "$out/failing"
check 1 "$out/kfd" "$out/failing"
grep -q '^== 3 steps right, 2 wrong: every rung is right,ladder$' "$out/said" || complain "it counts: $(cat "$out/said")"
grep -q 'the devices' "$out/report" || complain "the report lacks what gradus prints"

if "$gradus" run "$root/examples/tiled_gemm.hip.cpp" --device sim --size 32 --verify-only >"$out/first" 2>&1; then
  cat >"$out/short" <<SH
#!/bin/sh
[ "\$1" != ladder ] || set -- ladder --device sim:mi210 --size 32 --kernels 1 --verify-only --shapes no
exec '$gradus' "\$@"
SH
  chmod +x "$out/short"
  check 0 "$out/kfd" "$out/short"
  grep -q '^== 5 steps right, 0 wrong$' "$out/said" || complain "it counts: $(cat "$out/said")"
fi
exit $failed
