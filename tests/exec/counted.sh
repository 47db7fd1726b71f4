#!/bin/sh
# counted.sh GRADUS CALLER: every call is counted, once, whoever makes it and however he ends; nothing is left behind.
# SPDX-License-Identifier: MIT
set -u
gradus=$1 caller=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR="$work/tmp"
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER
failed=0
fail() {
  echo "$*"
  failed=1
}

# counts STATUS "D S PROCESSES THREADS" WORD…: runs the caller on the words; it must end with the status, and the report
# hold so many calls of cblas_dgemm and sgemm_, and of processes and threads that called.
counts() {
  wanted_status=$1 wanted=$2
  shift 2
  "$gradus" exec --format json -o "$work/report" -- "$caller" "$@" >"$work/out" 2>&1
  status=$?
  [ "$status" = "$wanted_status" ] || fail "$*: exit status: found $status, wanted $wanted_status"
  found=$(awk '
    /"routine": "cblas_dgemm", "calls"/ { d = $4 }
    /"routine": "sgemm_", "calls"/ { s = $4 }
    /"processes_calling":/ { p = $2 }
    /"threads_calling":/ { t = $2 }
    END { print d + 0, s + 0, p + 0, t + 0 }' "$work/report")
  [ "$found" = "$wanted" ] || { fail "$*: found '$found', wanted '$wanted':"; cat "$work/report"; }
  rm -f "$work/report"
}

CALLER_WANTS_STAND_IN=1 "$caller" d s || fail "without gradus exec, the stand-in does not compute"
counts 0 "1 1 1 1" d s
counts 0 "2 1 2 2" d fork d s                    # forked
counts 0 "2 1 2 2" d exec d s                    # exec'ed
counts 0 "4 0 4 4" d fork d exec d fork d        # both
counts 0 "101 0 1 5" d t                         # threads
counts 137 "3 0 1 1" 3 kill                      # killed
counts 0 "3 0 2 2" d fork 2 kill                 # the child is
counts 0 "1 0 1 1" d exit                        # no destructor runs
counts 0 "100000 1 1 1" 100000 s

# The sizes are the caller's, transposes and layouts too.
"$gradus" exec --format json "$caller" d s 2>"$work/err"
grep -q '"layout": "row", "trans": "tn", "m": 2, "n": 3, "k": 4, "calls": 1, "flop": 48,' "$work/err" ||
  { fail "the shape of d"; cat "$work/err"; }
grep -q '"layout": "col", "trans": "nn", "m": 5, "n": 6, "k": 7, "calls": 1, "flop": 420,' "$work/err" ||
  { fail "the shape of s"; cat "$work/err"; }

# The table, with times masked.
"$gradus" exec --threads 3 --top 1 "$caller" 30 s 2>&1 |
  sed 's/  *[0-9.]* [num]*s  *[0-9.]*$/ TIME RATE/; s/: [0-9.]* [num]*s in them.*/: …/; s/  */ /g' >"$work/table"
diff -u - "$work/table" <<'END' || failed=1
gradus: 31 calls intercepted: …
 called by 1 thread of 1 process; up to 3 threads a call

 routine calls time GFLOP/s
 cblas_dgemm 30 TIME RATE
 sgemm_ 1 TIME RATE

 shape op MxNxK calls time GFLOP/s
 cblas_dgemm row TN 2x3x4 30 TIME RATE
 and 1 shape more, 1 call
END

# --quiet: intercepted all the same, and nothing said.
"$gradus" exec -q "$caller" d s >"$work/out" 2>&1 || fail "--quiet: nothing intercepted"
[ ! -s "$work/out" ] || { fail "--quiet says:"; cat "$work/out"; }

# A ledger that is none is left alone, and the program runs.
printf 'gradus-ledger-1 of mine' >"$work/mine"
cp "$work/mine" "$work/before"
for path in "$work/mine" "$work" /dev/null "$work/absent" ''; do
  GRADUS_LEDGER=$path LD_PRELOAD=$(dirname "$gradus")/libgradus.so "$caller" d || fail "GRADUS_LEDGER='$path'"
done
cmp "$work/mine" "$work/before" || failed=1

left=$(find "$TMPDIR" /dev/shm -newer "$work/tmp" -name '*gradus*' 2>/dev/null)
[ -z "$left" ] && [ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $left $(ls -A "$TMPDIR")"
exit $failed
