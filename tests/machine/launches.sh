#!/usr/bin/env bash
# launches.sh PROGRAM FOLDER DIR: executes the launches of FOLDER/hardware.list on the engine, and holds what they requested and
# what they wrote against what an H200 counted and wrote (hardware.csv). SPDX-License-Identifier: MIT
set -u
program=$1 folder=$2 dir=$3
rm -rf "$dir" && mkdir -p "$dir" || exit 1
fail() { echo "FAIL: $*"; exit 1; }

ENGINE_COUNTS=$dir/counts "$program" --folder "$folder" --hashes "$dir/hashes" "$folder/hardware.list" >"$dir/log" 2>&1 ||
    fail "the launches: status $?: $(tail -n 3 "$dir/log")"

# A line a launch, as in hardware.csv: its copies are counted with its loads, as ncu does.
awk -F, -v OFS=, '{ print $2, $4 + $7, $5, $19 + $22, $20, $24, $25 }' "$dir/counts" >"$dir/found"
compare() { # FILE: how many launches of it differ
    paste -d, "$1" "$dir/found" | awk -F, -v hashes="$dir/hashes" '
        BEGIN { while ((getline line < hashes) > 0) { split(line, h, ","); if (h[2] == 2) c[h[1]] = h[5] } }
        { bad = ""
          for (i = 2; i <= 8; i++) if ($i != "-" && $i != $(i + 8)) bad = bad " " i ":" $(i + 8) "/" $i
          if ($9 != "-" && $9 != c[$1]) bad = bad " C"
          if (bad) { print $1 ":" bad " (ours / an H200)"; n++ } }
        END { print n + 0, "of", NR, "differ" }'
}
tail -n +2 "$folder/hardware.csv" >"$dir/wanted"
[ "$(wc -l <"$dir/wanted")" -eq "$(wc -l <"$dir/found")" ] || fail "$(wc -l <"$dir/found") launches of $(wc -l <"$dir/wanted")"
compare "$dir/wanted"
compare "$dir/wanted" | grep -q '^0 of' || exit 1

# Can this test fail? One sector more, and one bit of C.
sed '1s/,[0-9]*,\([0-9]*\),\([^,]*,[^,]*,[^,]*\)$/,7,\1,\2/; 3s/.$/x/' "$dir/wanted" >"$dir/planted"
compare "$dir/planted" | grep -q '^2 of' || fail "what was planted was not seen: $(compare "$dir/planted")"
