#!/usr/bin/env bash
# clean_rung.sh GRADUS FILE.cu: a rung of the GPU's ladder, in each of its types and transposes, at the shapes of clean.sh:
# nothing may be found. SPDX-License-Identifier: MIT
set -u
gradus=$1 rung=$2
here=$(dirname "$0")
failed=0 skipped=0 tried=0

words() { sed -n "s|^//@ $1 *||p" "$rung" | tr -d ','; }

transposes=$(words trans)
for type in $(words type); do
  for trans in ${transposes:-nn}; do
    said=$("$here/clean.sh" "$gradus" "$(basename "$rung" .cu)" --dtype "$type" --trans "$trans")
    code=$?
    echo "$type $trans: ${said//$'\n'/$'\n  '}"
    ((code != 77)) || skipped=$((skipped + 1))
    ((code == 0 || code == 77)) || failed=$((failed + 1))
    tried=$((tried + 1))
  done
done
if ((skipped == tried)); then
  echo "skip: it could not be simulated"
  exit 77
fi
((failed == 0))
