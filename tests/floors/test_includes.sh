#!/bin/sh
# test_includes.sh ROOT: the tree keeps the include law, and planted breaches of it are refused with the right words.
# SPDX-License-Identifier: MIT
set -u
root=$1
law=$(cd "$(dirname "$0")" && pwd)/includes.sh
copy=$(mktemp -d "${TMPDIR:-/tmp}/gradus-floors.XXXXXX") || exit 2
trap 'rm -rf "$copy"' EXIT
failed=0

"$law" "$root" || { echo "the tree breaks the include law"; failed=1; }

fresh() {
  rm -rf "$copy/tree"
  mkdir "$copy/tree" && cp -r "$root/src" "$root/include" "$root/kernels" "$copy/tree/"
}
# refused WHAT PATTERN: the law must fail on the copy, with exactly one line, which fits the pattern.
refused() {
  if "$law" "$copy/tree" >"$copy/out"; then
    echo "not refused: $1"
    failed=1
  elif [ "$(wc -l <"$copy/out")" -ne 1 ] || ! grep -Eq "$2" "$copy/out"; then
    echo "refused in other words: $1: wanted one line like '$2', found:"
    cat "$copy/out"
    failed=1
  fi
}
accepted() {
  "$law" "$copy/tree" >"$copy/out" || { echo "refused: $1"; cat "$copy/out"; failed=1; }
}

fresh
accepted "an untouched copy"

fresh
printf '\n#include "measure/trial.h"\n' >"$copy/tree/src/core/planted.c"
refused "an upward include" '^src/core/planted.c:2: core \(floor 0\) includes "measure/trial.h" of measure \(floor 12\): an upward'

fresh
printf '  #  include <check/check.h> /* blanks and <> do not hide it */\n' >"$copy/tree/src/model/planted.h"
refused "a neighbour include" '^src/model/planted.h:1: model \(floor 5\) includes "check/check.h" .* a neighbour'

fresh
mkdir "$copy/tree/src/attic" && echo '#include "base/str.h"' >"$copy/tree/src/attic/planted.c"
refused "a folder without a floor" '^src/floors.txt: the folder src/attic has no floor'

fresh
echo '#include "records/row.h"' >"$copy/tree/kernels/cpu/99_planted.c"
refused "a kernel that includes src/" '^kernels/cpu/99_planted.c:1: kernels/ includes "records/row.h" of src/'

fresh
echo '#include "base/str.h"' >"$copy/tree/include/gradus/planted.h"
refused "a public header that includes src/" '^include/gradus/planted.h:1: include/ includes "base/str.h"'

fresh
echo '#include "../records/row.h"' >"$copy/tree/src/base/planted.c"
refused "a path that climbs" '^src/base/planted.c:1: includes "../records/row.h": name a header'

fresh
echo '#include "core/no_such.h"' >"$copy/tree/src/catalog/planted.c"
refused "a header that is not there" '^src/catalog/planted.c:1: includes "core/no_such.h", which is not in'

fresh
printf '#include "records/row.h"\n#include "catalog/catalog.h"\n#include <gradus/gradus.h>\n' \
  >"$copy/tree/src/catalog/planted.c"
accepted "lower floors, the own folder and the public header"
exit $failed
