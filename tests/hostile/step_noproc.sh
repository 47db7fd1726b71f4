#!/usr/bin/env bash
# step_noproc.sh: a system that shows no /proc, as in a strict container: everything works, or says that it lacks /proc.
# SPDX-License-Identifier: MIT
# share: 1
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

unshare -rm sh -c 'mount -t tmpfs -o ro none /proc && test ! -e /proc/self' 2>/dev/null || {
  echo "skip: /proc cannot be hidden here (unshare, or a container that forbids mounts)"
  exit 77
}
# shellcheck disable=SC2016
before=(unshare -rm sh -c 'mount -t tmpfs -o ro none /proc && exec "$@"' sh)
fresh
write_kernels
npy tall.npy 300 4
for words in version list "show 6" "help run" devices "init plain.cu" "export 6 -o exported.cu" \
  "gemm tall.npy tall.npy --trans-b -o C.npy"; do
  # shellcheck disable=SC2086 # several words
  watched 0 60 "$gradus" $words
done
for words in "run mine.c --size 32 --verify-only --peer none" "run mine.cu --device sim --size 32 --verify-only" \
  "explain mine.cu 33 --shapes no" "ladder --size 32 --verify-only --peer none" "bench mine.c --size 32 --peer none --time-limit 1" \
  "exec true"; do
  [[ ! $smoke ]] || { draw 3 && ((drawn)) && continue; }
  # shellcheck disable=SC2086
  watched "0 2 3" 120 "$gradus" $words
  ((status == 0)) || grep -q '/proc' "$place/out" "$place/err" || {
    fail "does not say that /proc is what it lacks: gradus $words" && cat "$place/err"
  }
done
ends
