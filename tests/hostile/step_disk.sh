#!/usr/bin/env bash
# step_disk.sh: a disk without room, for the output, the temporary files, the cache: said in a line, and what was at the output
# before is still there. SPDX-License-Identifier: MIT
# share: 3
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

# small_disk FOLDER KB: runs what follows in a mount namespace in which FOLDER has so much room.
# shellcheck disable=SC2016
small_disk() { before=(unshare -rm sh -c 'mount -t tmpfs -o size="$2"k none "$1" && cd "$PWD" && shift 2 && exec "$@"' sh "$1" "$2"); }
can_mount() { unshare -rm sh -c 'mount -t tmpfs -o size=64k none /mnt' 2>/dev/null; }
# limit_files KB: the largest file, without the signal, or with it.
# shellcheck disable=SC2016
limit_files() { before=(sh -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' sh "$1"); }
# shellcheck disable=SC2016
limit_files_by_signal() { before=(sh -c 'ulimit -f "$1"; shift; exec "$@"' sh "$1"); }

old_is_there() { # COMMAND
  ((status == 0)) || [[ $(cat C.npy 2>/dev/null) == old ]] || fail "C.npy is no longer the old one: $1"
  [[ $(ls) == "$listed" ]] || fail "here are now $(ls | tr '\n' ' '): $1"
}
prepare() {
  fresh
  write_kernels
  npy tall.npy 600 4
  echo old >C.npy
  listed=$(ls)
}
product=("$gradus" gemm tall.npy tall.npy --trans-b -o C.npy)

prepare # 1.4 MB do not fit
limit_files 128
watched 2 30 "${product[@]}" && one_line "gemm, ulimit -f"
old_is_there "gemm, ulimit -f"
limit_files_by_signal 128
watched "2 153" 30 "${product[@]}"
old_is_there "gemm, ulimit -f with its signal"
before=()
watched 2 30 "$gradus" gemm tall.npy tall.npy --trans-b -o /dev/full && one_line "gemm -o /dev/full"
for words in version list "list --format json" "show 6 --source" "help run" man "completion bash" devices \
  "run mine.c --size 32 --verify-only --peer none" "explain mine.cu 33 --shapes no" "export 6"; do
  [[ ! $smoke ]] || { draw 4 && ((drawn)) && continue; }
  before=(sh -c 'exec "$@" >/dev/full' sh)
  # shellcheck disable=SC2086 # several words
  watched 2 60 "$gradus" $words && one_line "$words >/dev/full"
done

verbs=("run mine.c --size 32 --verify-only --peer none" "run mine.cu --device sim --size 32 --verify-only" "explain mine.cu 33 --shapes no"
  "ladder --size 32 --verify-only --peer none" "run mine.c --size 32 --verify-only --peer none --report report")
for kb in $(of "4 64 400" 64); do
  for words in "${verbs[@]}"; do
    [[ ! $smoke ]] || { draw 3 && ((drawn)) && continue; }
    prepare
    limit_files "$kb"
    # shellcheck disable=SC2086
    watched "0 1 2 3" 120 "$gradus" $words
    [[ ! -e report ]] || ((status != 0)) || [[ -s report/index.html ]] || fail "no page, and no word of it: $kb KB for each file: $words"
  done
done

if ! can_mount; then
  echo "skip: no tmpfs can be mounted here: disks without room are limits of the file size only"
  ends
fi
prepare
mkdir out && listed=$(ls)
small_disk "$place/here/out" 256
watched 2 30 "$gradus" gemm tall.npy tall.npy --trans-b -o out/C.npy && one_line "gemm, full disk"
old_is_there "gemm, full disk"
for kb in $(of "16 300" 16); do
  for folder in tmp cache here/out home; do
    for words in "${verbs[@]}"; do
      time_left || break 3
      [[ ! $smoke ]] || { draw 12 && ((drawn)) && continue; }
      prepare
      mkdir out
      small_disk "$place/$folder" "$kb"
      # shellcheck disable=SC2086
      watched "0 1 2 3" 120 "$gradus" ${words//--report report/--report out/report}
      ((status != 1)) || grep -q -i 'space\|full\|written\|compile' "$place/out" "$place/err" || fail "$folder has no room, and nobody says so: $words"
    done
  done
done
ends
