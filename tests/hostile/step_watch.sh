#!/usr/bin/env bash
# step_watch.sh: what the other steps rely on: whatever goes wrong is seen. A watch that sees nothing would pass everything.
# SPDX-License-Identifier: MIT
# share: 1
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"
patience=2

# sees WORDS COMMAND…: what the command, one of the watch's own, complains of has these words.
sees() {
  local words=$1 said
  shift
  said=$("$@")
  [[ $said == *"$words"* ]] || fail "not seen: $words: '$said'"
}

fresh
HOSTILE_PLACE=$place sleep 60 &
disown # or the shell says that it was killed
sees "left a process behind: sleep 60" nothing_runs "a process that stays"
[[ ! $(nothing_runs "no process") ]] || fail "a process is seen where there is none"

mkdir "$place/tmp/gradus-tmp-abcdef" && touch "$place/here/C.npy.tmp.abcdef"
sees "here/C.npy.tmp.abcdef tmp/gradus-tmp-abcdef" nothing_is_left "files that stay"
[[ ! $(nothing_is_left "no file") ]] || fail "a file is seen where there is none"

echo "not what gradus says" >"$place/err"
status=139
sees "status 139" holds "0 2" "a crash"
status=2
sees "status 2 without a line" holds "0 2" "no line that says why"
status=0
echo "ERROR: AddressSanitizer: heap-use-after-free" >"$place/err"
sees "breaks" holds 0 "a sanitizer's report"
: >"$place/err"
[[ ! $(holds 0 "nothing wrong") ]] || fail "something is seen where nothing is wrong"
ends
