#!/usr/bin/env bash
# clean_rungs.sh GRADUS SOURCE: every rung of the GPU's ladder, in each of its types and transposes, and the strangers' kernels
# of tests/kernels/, at the shapes of clean.sh: nothing may be found. SPDX-License-Identifier: MIT
set -u
gradus=$1 source=$2
here=$(dirname "$0")
failed=0 skipped=0 tried=0

try() {
  local said code
  said=$("$here/clean.sh" "$gradus" "$@")
  code=$?
  echo "${*##*/}: ${said//$'\n'/$'\n  '}"
  ((code != 77)) || skipped=$((skipped + 1))
  ((code == 0 || code == 77)) || failed=$((failed + 1))
  tried=$((tried + 1))
}

words() { sed -n "s|^//@ $1 *||p" "$2" | tr -d ','; }

for rung in "$source"/kernels/gpu/[0-9]*.cu; do
  name=$(basename "$rung" .cu)
  transposes=$(words trans "$rung")
  for type in $(words type "$rung"); do
    for trans in ${transposes:-nn}; do
      try "$name" --dtype "$type" --trans "$trans"
    done
  done
done
for file in "$source"/tests/kernels/*.cu; do
  case $(basename "$file") in
  tensor_map.cu | texture_object.cu) ;; # not modelled
  rows.cu) ;; # no GEMM
  *) try "$file" ;;
  esac
done
if ((skipped == tried)); then
  echo "skip: nothing could be simulated"
  exit 77
fi
echo "$tried kernels tried, $failed with findings"
((failed == 0))
