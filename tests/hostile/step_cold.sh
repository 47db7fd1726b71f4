#!/usr/bin/env bash
# step_cold.sh: eight at once with a cache that is empty: all succeed, and the cache has whole entries only.
# SPDX-License-Identifier: MIT
# share: 4
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

together() { # COMMAND…
  time_left || {
    echo "cold: no time left for: gradus $*"
    return
  }
  local pids=() statuses=() i many
  many=$(of 8 3)
  fresh
  write_kernels
  for ((i = 0; i < many; i++)); do
    HOME=$place/home XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/home/data TMPDIR=$place/tmp HOSTILE_PLACE=$place LC_ALL=C.UTF-8 TERM=dumb \
      timeout --foreground -k 5 150 "$gradus" "$@" >"$place/out.$i" 2>"$place/err.$i" </dev/null &
    pids+=($!)
  done
  # They share a place, which is judged when the last of them has ended.
  for ((i = 0; i < many; i++)); do
    wait "${pids[i]}"
    statuses[i]=$?
  done
  for ((i = 0; i < many; i++)); do
    status=${statuses[i]}
    cp "$place/out.$i" "$place/out" && cp "$place/err.$i" "$place/err"
    holds 0 "$many at once: gradus $*"
  done
}
together run mine.cu --device sim --size 32 --verify-only
[[ $smoke ]] && ends
together explain mine.cu 33 --shapes no
together run mine.c --size 32 --verify-only --peer none
together ladder --device sim --size 32 --verify-only
ends
