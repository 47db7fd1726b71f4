#!/bin/sh
# test_library.sh ROOT CMAKE CC: tests/install/library.sh refuses a library that shows or needs more than it may.
# SPDX-License-Identifier: MIT
set -u
check=$1/tests/install/library.sh cc=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-door.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

library() { # SOURCE FLAG…: makes a libgradus.so of it
  echo "$1" >"$work/planted.c"
  shift
  "$cc" -shared -fPIC -o "$work/libgradus.so" "$work/planted.c" "$@"
}
refused() {
  "$check" "$work/libgradus.so" >"$work/out" && { echo "not refused: $1"; failed=1; }
  grep -q "$1" "$work/out" || { echo "refused in other words, wanted '$1':"; cat "$work/out"; failed=1; }
}

library 'int gradus_gemm_run(void) { return 0; }'
"$check" "$work/libgradus.so" || { echo "a clean library is refused"; failed=1; }
library 'int gradus_gemm_run(void) { return 0; } int gr_inner(void) { return 0; }'
refused 'shows gr_inner, which is not in its API'
library 'int gradus_gemm_run(void) { return 0; } int dsyrk_(void) { return 0; }'
refused 'shows dsyrk_'
library 'static int unused; int *gradus_version(void) { return &unused; }'
refused 'does not show gradus_gemm_run'
"$cc" -shared -fPIC -o "$work/libother.so" -Wl,-soname,libother.so.1 -x c - <<'END'
int other(void) { return 0; }
END
library 'int other(void); int gradus_gemm_run(void) { return other(); }' "-L$work" -lother
refused 'needs libother.so.1'
exit $failed
