#!/usr/bin/env bash
# all_blocks.sh GRADUS: are the counts that classes of blocks stand for those of all blocks? Rungs at a size of which classes are
# traced, and once more with --all-blocks, by the machine code where there is any. SPDX-License-Identifier: MIT
set -u
gradus=$1 failed=0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-blocks.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT

# counts FILE OPTION…: those of the accesses, and how much of the grid was traced.
counts() {
  local to=$1
  shift
  "$gradus" explain "$@" --format json >"$out/json" 2>"$out/said" || return
  awk -f "$here/flatten.awk" "$out/json" >"$out/flat"
  grep -E '^stanzas\.[0-9]+\.(global|shared)\.(loads|stores|copies)\.' "$out/flat" | grep -v 'lines' | sort >"$to"
  coverage=$(awk -F'\t' '$1 ~ /^stanzas\.[0-9]+\.coverage$/ { print $2 }' "$out/flat" | sort -u | paste -sd' ')
}
for rung in 07 10; do
  counts "$out/classes" "$rung" 2048x2000x300 || { cat "$out/said"; exit 1; }
  if [[ -z $coverage || $coverage == null ]]; then
    echo "skip: $rung is not simulated here"
    exit 77
  fi
  [[ $coverage == classes ]] || { echo "FAIL $rung: coverage is '$coverage', wanted classes"; failed=1; }
  counts "$out/all" "$rung" 2048x2000x300 --all-blocks || { cat "$out/said"; exit 1; }
  [[ $coverage == whole && -s $out/all ]] || { echo "FAIL $rung: with --all-blocks, coverage is '$coverage'"; failed=1; }
  diff "$out/classes" "$out/all" || { echo "FAIL $rung: classes and all blocks differ"; failed=1; }
done
exit $failed
