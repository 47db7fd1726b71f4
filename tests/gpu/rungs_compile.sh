#!/usr/bin/env bash
# rungs_compile.sh GRADUS: every GPU rung, in each of its types, compiles for T4 to H200 without spills and with no more
# registers than its file claims: `gradus explain` judges the `expect` lines. Needs NVRTC, no GPU.
# SPDX-License-Identifier: MIT
set -u
gradus=$1
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-compile.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
passed=0 skipped=0 failed=0

for rung in $("$gradus" list --device cuda --format names); do
  types=$("$gradus" list --device cuda --format md | awk -F'|' -v rung="$rung" '$3 ~ rung { gsub(",", "", $5); print $5 }')
  for arch in sm_75 sm_80 sm_86 sm_89 sm_90a; do
    for type in ${types:-f32}; do
      "$gradus" explain "$rung" --simulate no --arch $arch --dtype "$type" >"$out/said" 2>&1
      code=$?
      if grep -q 'no CUDA compiler' "$out/said"; then
        echo "skip: no libnvrtc was found"
        exit 77
      elif ((code == 0)) && grep -q '^  holds     spills == 0' "$out/said"; then
        passed=$((passed + 1))
      elif grep -q 'needs at least' "$out/said"; then
        skipped=$((skipped + 1))
      else
        failed=$((failed + 1))
        echo "FAIL $rung $type $arch (status $code)"
        tail -n 12 "$out/said"
      fi
    done
  done
done
echo "$passed builds as their files claim, $skipped of architectures that a rung does not have, $failed not"
((failed == 0 && passed > 0))
