#!/bin/sh
# tree.sh ROOT: what every file of ours keeps to: an SPDX line, a name of its own, a length that can be read.
# SPDX-License-Identifier: MIT
set -u
cd "$1" || exit 2
failed=0
sources() {
  find src include kernels tests scripts examples packaging -type f "$@" 2>/dev/null | LC_ALL=C sort
}

for file in $(sources \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cpp' -o -name '*.sh' \)) Makefile .ci/run; do
  head -n 12 "$file" | tr '\n' ' ' | grep -Eq 'SPDX-License-Identifier:[ *]*MIT' && continue
  echo "$file:1: no SPDX line: put \"SPDX-License-Identifier: MIT\" into the comment at its head"
  failed=1
done

for name in $(sources \( -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' \) | sed 's|.*/||' | sort | uniq -d); do
  echo "$name is the name of more than one file: $(sources -name "$name" | tr '\n' ' '): give each its own"
  failed=1
done

# Lengths are aims: they are reported and do not fail.
for file in $(sources \( -name '*.[ch]' -o -name '*.sh' \)); do
  lines=$(wc -l <"$file")
  [ "$lines" -le 500 ] || echo "long: $file has $lines lines (aim: 500)"
done
for file in $(sources -name '*.c' | grep '^src/'); do
  awk '/^{/ { start = NR } /^}/ && start { if (NR - start - 1 > 60)
         print "long: " FILENAME ":" start ": a function of " NR - start - 1 " lines (aim: 60)"; start = 0 }' "$file"
done
exit $failed
