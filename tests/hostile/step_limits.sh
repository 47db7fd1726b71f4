#!/usr/bin/env bash
# step_limits.sh: small stacks, little memory, few files, few processes (ulimit -s -v -n -u): each verb works, or says in a line
# what it could not get. SPDX-License-Identifier: MIT
# share: 3
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

verbs=(version list "show 6" "help run" devices "gemm tall.npy tall.npy --trans-b -o C.npy" "run mine.c --size 32 --verify-only --peer none"
  "run mine.cu --device sim --size 32 --verify-only" "explain mine.cu 33 --shapes no" "ladder --size 32 --verify-only --peer none"
  "bench mine.c --size 32 --peer none --time-limit 1" "exec true" "init plain.cu")
# try LETTER VALUE: all verbs under this limit.
try() {
  for words in "${verbs[@]}"; do
    time_left || return
    [[ ! $smoke ]] || { draw 16 && ((drawn)) && continue; }
    # shellcheck disable=SC2016
    before=(sh -c 'ulimit -S'"$1"' "$1" 2>/dev/null || exit 0; shift; exec "$@"' sh "$2")
    [[ $1 != u ]] || before=(setpriv --reuid 65534 --regid 65534 --clear-groups -- "${before[@]}")
    # shellcheck disable=SC2086 # several words
    watched "0 1 2 3" 120 "$gradus" $words
    ((status == 0)) || grep -q . "$place/err" "$place/out" || fail "not a word of why: ulimit -$1 $2: gradus $words"
    [[ ! -e C.npy || $(wc -c <C.npy) == 360128 ]] || fail "half of C.npy: ulimit -$1 $2"
    rm -f C.npy
  done
}
fresh
write_kernels
npy tall.npy 300 4
for kb in $(of "96 128 256 512 1024" "128"); do try s "$kb"; done
for kb in $(of "30000 100000 300000 1000000 4000000" "100000"); do try v "$kb"; done
for files in $(of "4 6 8 10 12 16 24 32" "8"); do try n "$files"; done
if [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null; then
  chmod a+rx "$HOSTILE_FOLDER" "$HOSTILE_FOLDER/.." && chown -R 65534:65534 "$place"
  if setpriv --reuid 65534 --regid 65534 --clear-groups -- "$gradus" version >/dev/null 2>&1; then
    for processes in $(of "1 2 4 8 16" "2"); do try u "$processes"; done
  else
    echo "skip: others may not run $gradus, so that no limit of processes is tried"
  fi
else
  echo "skip: only root can become a user whose processes are counted (ulimit -u)"
fi
ends
