#!/bin/sh
# tree.sh ROOT: what every file of ours keeps to: an SPDX line, a name of its own, a length that can be read.
# SPDX-License-Identifier: MIT
set -u
cd "$1" || exit 2
failed=0
sources() {
  find src include kernels python tests scripts examples packaging -type f "$@" 2>/dev/null | LC_ALL=C sort
}

# The comment at the head, its lines joined: a formatter may have broken the line.
{
  sources \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' -o -name '*.sh' \)
  printf '%s\n' Makefile .ci/run
} | xargs awk '
  function judge() {
    if (file == "" || head ~ /SPDX-License-Identifier:[ *]*MIT/) return
    print file ":1: no SPDX line: put \"SPDX-License-Identifier: MIT\" into the comment at its head"
    bad = 1
  }
  FNR == 1 { judge(); file = FILENAME; head = "" }
  FNR <= 12 { head = head " " $0 }
  END { judge(); exit bad }' || failed=1

for name in $(sources \( -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' \) | sed 's|.*/||' | sort | uniq -d); do
  echo "$name is the name of more than one file: $(sources -name "$name" | tr '\n' ' '): give each its own"
  failed=1
done

# Lengths are aims: they are reported and do not fail.
sources \( -name '*.[ch]' -o -name '*.sh' \) | xargs awk '
  function judge() { if (lines > 500) print "long: " file " has " lines " lines (aim: 500)" }
  FNR == 1 { judge(); file = FILENAME }
  { lines = FNR }
  /^{/ { start = FNR }
  /^}/ && start && FILENAME ~ /^src.*[.]c$/ && FNR - start > 61 {
    print "long: " FILENAME ":" start ": a function of " FNR - start - 1 " lines (aim: 60)"
  }
  /^}/ { start = 0 }
  END { judge() }'
exit $failed
