#!/usr/bin/env bash
# without_sqlite.sh BARE: BARE, which was built without SQLite, measures as ever, records nothing and says nothing of it; what
# needs the history says in a line what is missing. SPDX-License-Identifier: MIT
set -u
bare=$(realpath "$1")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-bare.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
ceilings=${XDG_CACHE_HOME:-$HOME/.cache}/gradus/ceilings # of this machine, which take seconds to measure
export HOME=$out XDG_CACHE_HOME=$out/cache XDG_DATA_HOME=$out/data
unset GRADUS_HISTORY
mkdir -p "$XDG_CACHE_HOME/gradus"
[[ ! -d $ceilings ]] || cp -r "$ceilings" "$XDG_CACHE_HOME/gradus/"
cd "$out" || exit 2
failed=0
complain() {
  echo "$*"
  failed=1
}

# Nothing of the library is asked for: not by what is linked, not by a name that a program could bring along.
if ldd "$bare" | grep -i sqlite; then complain "$bare needs libsqlite3"; fi
if nm -u "$bare" 2>/dev/null | grep -i sqlite; then complain "$bare asks for SQLite's functions"; fi
"$bare" version | grep -q '^history  *not kept: SQLite was missing' || complain "version: $("$bare" version | grep '^history')"

cp "$source/tests/cli/kernels/01_dot.c" mine.c
short=(--size 24 --threads 1 --peer none --time-limit 3)
"$bare" run mine.c "${short[@]}" >said 2>err || complain "run: status $?"
grep -q ' right$' said || complain "run: $(cat said)"
[[ ! -s err ]] || complain "run: found on standard error: $(cat err)"
"$bare" run mine.c "${short[@]}" --no-history >said 2>err || complain "run --no-history: status $?"
[[ ! -e data ]] || complain "run: it made $(find data)"

wanted="gradus: history: found a gradus built without SQLite, which keeps no history: apt-get install libsqlite3-dev, then build again"
# refused COMMAND…: one line, status 3, nothing on standard output.
refused() {
  local status
  "$bare" "$@" >said 2>err
  status=$?
  ((status == 3)) || complain "$*: found status $status, wanted 3"
  [[ $(cat err) == "$wanted" ]] || complain "$*: found '$(cat err)'"
  [[ ! -s said ]] || complain "$*: found on standard output: $(cat said)"
}
refused history
refused history mine.c --format json
refused bench mine.c "${short[@]}" --baseline history
exit $failed
