#!/usr/bin/env bash
# step_home.sh: a home that nothing can be written to, or none, and other places that are not what they should be: nothing
# depends on a cache. SPDX-License-Identifier: MIT
# share: 2
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

verbs=("run mine.cu --device sim --size 32 --verify-only" "explain mine.cu 33 --shapes no" "run mine.c --size 32 --verify-only --peer none"
  "ladder --size 32 --verify-only --peer none" "devices")
try() { # WHAT STATUSES
  for words in "${verbs[@]}"; do
    time_left || return
    [[ ! $smoke ]] || { draw 12 && ((drawn)) && continue; }
    # shellcheck disable=SC2086 # several words
    watched "$2" 120 "$gradus" $words
    ((status == 0)) || grep -q . "$place/err" || fail "not a word of why: $1: gradus $words"
  done
}
fresh
write_kernels
before=(env -u HOME -u XDG_CACHE_HOME) && try "no home" 0
before=(env HOME=/nowhere/at/all XDG_CACHE_HOME=) && try "a home that is not there" 0
before=(env XDG_CACHE_HOME=/dev/null/cache HOME=/dev/null) && try "a home that is a device" 0
before=(env XDG_CACHE_HOME=relative HOME=relative) && try "a relative home" 0
before=(env "XDG_CACHE_HOME=$place/here/mine.c") && try "a cache that is a file" 0
if unshare -rm sh -c 'mount -t tmpfs -o ro none /mnt' 2>/dev/null; then
  # shellcheck disable=SC2016
  before=(unshare -rm sh -c 'mount -t tmpfs -o ro none "$1" && mount -t tmpfs -o ro none "$2" && shift 2 && exec "$@"' sh
    "$place/home" "$place/cache")
  try "a home for reading only" 0
else
  chmod a-w "$place/home" "$place/cache"
  before=() && try "a home for reading only" 0
  chmod u+w "$place/home" "$place/cache"
fi
before=(env TMPDIR=/nowhere/at/all) && try "no folder for temporary files" "0 2 3"
# An entry of the cache that is a folder, a link to nowhere, or nothing.
before=()
for what in folder link empty cut; do
  [[ ! $smoke || $what == cut ]] || continue
  fresh
  write_kernels
  watched 0 120 "$gradus" run mine.cu --device sim --size 32 --verify-only
  find "$place/cache" -type f | while IFS= read -r entry; do
    case $what in
    folder) rm "$entry" && mkdir "$entry" ;;
    link) ln -sf /nowhere/at/all "$entry" ;;
    empty) : >"$entry" ;;
    cut) truncate -s $(($(wc -c <"$entry") / 2)) "$entry" ;;
    esac
  done
  watched 0 120 "$gradus" run mine.cu --device sim --size 32 --verify-only
done
ends
