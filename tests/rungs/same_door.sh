#!/bin/sh
# same_door.sh GRADUS SOURCE_DIR RUNG: a built-in rung's file, given to `gradus run` as a stranger's, makes the same row
# as the ladder: name, device, type, size, threads and verdict. SPDX-License-Identifier: MIT
set -u
gradus=$1 source=$2 rung=$3
command -v cc >/dev/null 2>&1 || { echo "skip: no C compiler"; exit 0; }
common="--verify-only --size 120x56x72 --threads 1 --peer none --format csv"

# Columns by name, since columns may be added; quoted fields (titles) are emptied, since they may hold commas.
fields() {
  sed 's/"[^"]*"//g' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
           { print $column["kernel"], $column["device"], $column["dtype"], $column["trans"], $column["m"], $column["n"],
                   $column["k"], $column["threads"], $column["verdict"] }'
}
ladder=$("$gradus" ladder --kernels "$rung" $common | fields) || exit 1
run=$("$gradus" run "$source/kernels/cpu/$rung.c" $common | fields) || exit 1
echo "ladder: $ladder"
echo "run:    $run"
case "$ladder" in *" right") ;; *) echo "the ladder's row is not right"; exit 1 ;; esac
[ "$ladder" = "$run" ] || { echo "the rows differ"; exit 1; }
