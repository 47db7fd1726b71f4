#!/bin/sh
# wheel_names.sh GRADUS LOADER MODULE CBLAS FORTRAN INTEGER: what the wheels on PyPI do: a module that was loaded by itself
# calls the BLAS that came with it, by names that SciPy gave it. Under gradus exec the calls are ours, and are counted by
# these names. SPDX-License-Identifier: MIT
set -u
gradus=$1 loader=$2 module=$3 cblas=$4 fortran=$5
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER
CALLER_WANTS_STAND_IN=1 "$loader" "$module" d s || { echo "alone, the module's own BLAS does not compute"; exit 1; }
"$gradus" exec --format json -o "$work/report" "$loader" "$module" d 2 s ||
  { echo "under gradus exec the products are wrong"; exit 1; }
for line in "\"routine\": \"$cblas\", \"layout\": \"row\", \"trans\": \"tn\", \"m\": 2, \"n\": 3, \"k\": 4, \"calls\": 3," \
  "\"routine\": \"$fortran\", \"layout\": \"col\", \"trans\": \"nn\", \"m\": 5, \"n\": 6, \"k\": 7, \"calls\": 1,"; do
  grep -qF "$line" "$work/report" || { echo "not in the report: $line"; cat "$work/report"; exit 1; }
done
