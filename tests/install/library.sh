#!/bin/sh
# library.sh SHARED STATIC INCLUDE CC: what libgradus needs and what it shows. It needs libc, libm, threads and dlopen; it
# shows what its headers declare, all of it and nothing else, and loses no name that symbols.txt holds. In the static
# library every global name has a prefix of ours or is BLAS's, and each object file is needed by what the headers declare.
# SPDX-License-Identifier: MIT
set -u
shared=$1 static=$2 include=$3 cc=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-symbols.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
failed=0
complain() { echo "$*"; failed=1; }

# declared HEADER: the names that it marks as shown to others.
declared() {
  "$cc" -E -P -I"$include" "$1" | tr '\n' ' ' | tr ';' '\n' | sed -n 's/.*visibility("default"))) *//p' |
    sed -e 's/ *(.*//' -e 's/.*[ *]//'
}

# only WHICH FIRST SECOND WHY: complains of each line of FIRST that is not in SECOND.
only() {
  comm -23 "$2" "$3" >"$work/only"
  while read -r name; do complain "$1: $name: $4"; done <"$work/only"
}

for needed in $(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
  libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
  *) complain "$shared needs $needed: only libc, libm, libpthread and libdl are allowed" ;;
  esac
done

for header in "$include"/gradus/*.h; do declared "$header"; done | sort -u >"$work/declared"
nm -D --defined-only "$shared" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$work/shown"
grep -v '^#' "$here/symbols.txt" | sort -u >"$work/kept"
only "$shared" "$work/shown" "$work/declared" "shown, but not declared in include/gradus: make it static or hidden"
only "$shared" "$work/declared" "$work/shown" "declared in include/gradus, but not shown: define it or take it away"
only "$shared" "$work/kept" "$work/shown" "was shown once, and programs link to it: it may not go"
only "$shared" "$work/shown" "$work/kept" "shown, but not yet in tests/install/symbols.txt: add it there"

nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort -u >"$work/global"
grep -vE '^(gr_|gradus_|ukr_[a-z0-9]+_[0-9]+x[0-9]+_)' "$work/global" >"$work/foreign"
grep -v '^gradus_' "$work/declared" >"$work/blas"
only "$static" "$work/foreign" "$work/blas" "a global name without a prefix of ours: make it static or call it gr_…"
only "$static" "$work/declared" "$work/global" "declared, but not in the static library"

# What the members that define the declared names refer to, and what those refer to, and so on.
nm -A -g "$static" | awk -F: -v names="$work/declared" '
  BEGIN { while ((getline name < names) > 0) wanted[name] = 1 }
  { member = $2; n = split($3, field, " "); name = field[n]; members[member] = 1
    if (field[n - 1] == "U") uses[member] = uses[member] " " name
    else owner[name] = member }
  END {
    for (name in wanted) if (name in owner) stack[++top] = owner[name]
    while (top) {
      member = stack[top--]
      if (member in reached) continue
      reached[member] = 1
      n = split(uses[member], used, " ")
      for (i = 1; i <= n; i++) if (used[i] in owner) stack[++top] = owner[used[i]]
    }
    for (member in members) if (!(member in reached)) print member
  }' | sort >"$work/unneeded"
while read -r member; do
  complain "$static: $member: nothing that the headers declare needs it: take it out of GRADUS_LIBRARY_FOLDERS"
done <"$work/unneeded"
exit $failed
