#!/bin/sh
# exec_torch.sh GRADUS [--quick]: PyTorch with and without `gradus exec --gpu`: the same losses, errors that are no larger,
# and what was faster. Needs a GPU and python3 with torch. The logs go to $OUT, if it is set. SPDX-License-Identifier: MIT
set -u
gradus=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if [ "${OUT:-}" ]; then
  work=$OUT
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec-torch.XXXXXX") || exit 2
  trap 'rm -rf "$work"' EXIT
fi
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER GRADUS_MATH
"$python" "$here/exec_torch.py" "$@" >"$work/plain.json" 2>"$work/plain.err"
status=$?
[ $status = 77 ] && { cat "$work/plain.json"; exit 77; }
[ -s "$work/plain.json" ] || { echo "without gradus: status $status:"; tail -n 5 "$work/plain.err"; exit 1; }
"$gradus" exec --gpu --format json -o "$work/report.json" "$python" "$here/exec_torch.py" "$@" \
  >"$work/gradus.json" 2>"$work/gradus.err"
status=$?
[ -s "$work/gradus.json" ] && [ -s "$work/report.json" ] ||
  { echo "with gradus: status $status:"; tail -n 15 "$work/gradus.err"; exit 1; }
"$python" "$here/exec_torch_compare.py" "$work/plain.json" "$work/gradus.json" "$work/report.json"
