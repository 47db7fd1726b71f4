#!/bin/sh
# test_library.sh ROOT CMAKE CC: tests/install/library.sh refuses a library that shows, needs or holds more than it may, or
# less than it must. SPDX-License-Identifier: MIT
set -u
cc=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-door.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# A library of one function, with the list that the check keeps beside itself.
mkdir -p "$work/check" "$work/include/gradus"
cp "$1/tests/install/library.sh" "$work/check/"
echo gradus_gemm_run >"$work/check/symbols.txt"
echo '__attribute__((visibility("default"))) int gradus_gemm_run(void);' >"$work/include/gradus/gradus.h"

library() { # SOURCE FLAG…: makes libgradus.so and libgradus.a of it
  echo "$1" >"$work/planted.c"
  shift
  "$cc" -fPIC -c -o "$work/planted.o" "$work/planted.c" &&
    "$cc" -shared -o "$work/libgradus.so" "$work/planted.o" "$@"
  rm -f "$work/libgradus.a"
  ar rc "$work/libgradus.a" "$work/planted.o"
}
check() { "$work/check/library.sh" "$work/libgradus.so" "$work/libgradus.a" "$work/include" "$cc" >"$work/out"; }
refused() {
  check && { echo "not refused: $1"; failed=1; }
  grep -q "$1" "$work/out" || { echo "refused in other words, wanted '$1':"; cat "$work/out"; failed=1; }
}

library 'int gradus_gemm_run(void) { return 0; }'
check || { echo "a clean library is refused"; cat "$work/out"; failed=1; }
library 'int gradus_gemm_run(void) { return 0; } int gr_inner(void) { return 0; }'
refused 'gr_inner: shown, but not declared'
library 'int gradus_gemm_run(void) { return 0; } int dsyrk_(void) { return 0; }'
refused 'dsyrk_: a global name without a prefix of ours'
library 'static int unused; int *gradus_version(void) { return &unused; }'
refused 'gradus_gemm_run: declared in include/gradus, but not shown'
"$cc" -shared -fPIC -o "$work/libother.so" -Wl,-soname,libother.so.1 -x c - <<'END'
int other(void) { return 0; }
END
library 'int other(void); int gradus_gemm_run(void) { return other(); }' "-L$work" -lother
refused 'needs libother.so.1'
echo gradus_gone >>"$work/check/symbols.txt"
library 'int gradus_gemm_run(void) { return 0; }'
refused 'gradus_gone: was shown once'
exit $failed
