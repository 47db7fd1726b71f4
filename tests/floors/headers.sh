#!/bin/sh
# headers.sh ROOT CC REGISTRY: every header of src/, include/ and python/ compiles alone, in any order of includes; the public ones as C++
# too. SPDX-License-Identifier: MIT
set -u
cd "$1" || exit 2
cc=$2 registry=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-headers.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
python=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)
for header in $(find src include python -name '*.h' | LC_ALL=C sort); do
  if grep -q '"python_\|<Python.h>' "$header" && ! [ -e "$python/Python.h" ]; then
    echo "skip: $header: Python's headers are missing (apt-get install python3-dev)"
    continue
  fi
  if grep -q '<cjson/' "$header" && ! echo '#include <cjson/cJSON.h>' | "$cc" -E -x c - >/dev/null 2>&1; then
    echo "skip: $header: cJSON is missing (apt-get install libcjson-dev)"
    continue
  fi
  if grep -q '<sqlite3.h>' "$header" && ! echo '#include <sqlite3.h>' | "$cc" -E -x c - >/dev/null 2>&1; then
    echo "skip: $header: SQLite is missing (apt-get install libsqlite3-dev)"
    continue
  fi
  # Twice: a header must bear being included again.
  printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$PWD/$header" "$PWD/$header" >"$work/alone.c"
  "$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Iinclude -Isrc -Ikernels/cpu -I"$registry" \
    -DPy_LIMITED_API=0x030A0000 -isystem "${python:-/nowhere}" -fsyntax-only \
    "$work/alone.c" || { echo "$header does not compile alone"; failed=1; }
done
if command -v g++ >/dev/null 2>&1; then
  for header in include/gradus/*.h; do
    printf '#include <gradus/%s>\nint main() { return 0; }\n' "$(basename "$header")" >"$work/alone.cpp"
    g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/alone.cpp" ||
      { echo "$header does not compile as C++"; failed=1; }
  done
else
  echo "skip: the public headers as C++: g++ is missing (apt-get install g++)"
fi
exit $failed
