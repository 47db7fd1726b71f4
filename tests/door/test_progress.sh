#!/usr/bin/env bash
# test_progress.sh ROOT: how far `make check` has come, as scripts/progress.sh tells it of a ctest that is played here: on a
# terminal one line that is drawn over, elsewhere lines at a slow pace; failures and what stands below them are kept.
# SPDX-License-Identifier: MIT
set -u
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-door.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
cd "$work" || exit 2
cat >play <<'SH'
for i in 1 2 3 4 5 6 7 8; do
  printf '      Start %2d: t%d\n' $i $i
  sleep 0.5
  case $i in
  3) printf '3/8 Test #3: t3 ......***Failed    0.50 sec\nwhat went wrong\n' ;;
  4) printf '4/8 Test #4: t4 ......***Skipped   0.50 sec\n' ;;
  *) printf '%d/8 Test  #%d: t%d ......   Passed    0.50 sec\n' $i $i $i ;;
  esac
done
printf '\n88%% tests passed, 1 tests failed out of 8\n'
printf 'an end without a line break'
SH
for i in 1 2 3 4 5 6 7 8; do
  echo t$i >>names
  echo "t$i 1 1.0" >>costs # at two at a time, half a second each
done
echo --- >>costs
cat >follow <<SH
cd "$root" || exit 2
. scripts/progress.sh
cd "$work"
sh play | progress_of_tests release: \${1:-costs} names
SH
wants() { # FILE PATTERN
  grep -q -- "$2" "$1" && return
  echo "$1 has no '$2':"
  cat -v "$1"
  failed=1
}
lacks() {
  grep -q -- "$2" "$1" || return
  echo "$1 has '$2':"
  cat -v "$1"
  failed=1
}

# What is played takes four seconds each time: all at once.
: >nothing
sh play >played &
PROGRESS_EVERY_MS=1500 bash follow >out 2>err </dev/null &
bash follow >out.slow 2>err.slow </dev/null &
PROGRESS_EVERY_MS=1500 bash follow nothing >out.unknown 2>err.unknown </dev/null &
if command -v script >/dev/null; then
  TERM=xterm COLUMNS=42 script -qec 'bash follow' /dev/null </dev/null >screen &
  TERM=dumb script -qec 'bash follow' /dev/null </dev/null >screen.dumb &
fi
wait

# Into files: all of ctest's lines but those of starts, and now and then how far it is.
grep -v '^ *Start' played >kept
cmp -s kept out || { echo >>kept; cmp kept out; } || failed=1 # the last line gets a line break
wants err '^check: release: \[[3-7]/8\] t[3-7] · [01] failed · 0:0[1-3] left$'
[ "$(wc -l <err)" -le 3 ] || { echo "more lines than one in 1.5 s:"; cat err; failed=1; }
[ -s err.slow ] && { echo "of four seconds there is nothing to tell:"; cat err.slow; failed=1; }

# Tests that never ran before: what is left is not known.
wants err.unknown 'failed · 0:0[1-4] so far$'
lacks err.unknown ' left'

# On a terminal, where there is one to be had.
if command -v script >/dev/null; then
  tr '\r' '\n' <screen >drawn
  wants drawn 'release: \[1/8\] t1 · 0 failed · 0:0[1-4] left'
  wants drawn 'release: \[8/8\] t8 · 1 failed · 0:'
  wants drawn '^.\[K3/8 Test #3: t3 .*Failed'
  wants drawn 'what went wrong'
  wants drawn 'Skipped'
  lacks drawn 'Passed'
  lacks drawn '.\[Krelease.\{35\}'
  lacks screen.dumb '.\[K'
  wants screen.dumb 'Passed'
else
  echo "skip: script (of util-linux) is missing, so that nothing was shown on a terminal"
fi
exit $failed
