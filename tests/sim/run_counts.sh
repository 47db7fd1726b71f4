#!/usr/bin/env bash
# run_counts.sh GRADUS FILE [OPTION…]: the simulator's counts of a small kernel, against those worked out by hand, which stand behind
# its lines. SPDX-License-Identifier: MIT
#
#   // COUNT access space name number …     all sites of the line with that access (load, store, …) and space together;
#                                           bytes and source_bytes are of each; several are parted by "; COUNT "
#   //! options --gpu mi210                 more words for the command
set -u
gradus=$1 file=$2
shift 2
here=$(dirname "$0")
# What the simulator sees of a source does not depend on a GPU's compiler.
[[ "$*" == *'--engine code'* ]] || export GRADUS_NVRTC=/missing.so GRADUS_HIPRTC=/missing.so
name=$(basename "${file%.*}")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-counts.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
read -ra options < <(sed -n 's|^//! options ||p' "$file"; echo)
words=(explain "$file" --device sim --size "$(sed -n 's|^//! size ||p' "$file")" "${options[@]}" "$@" --format json)

timeout 100 "$gradus" "${words[@]}" >"$out/json" 2>"$out/err" </dev/null
if grep -q -e 'cannot simulate here' -e 'engine code needs' "$out/err" "$out/json"; then
  echo "skip: $(grep -h -o -e 'cannot simulate here.*' -e 'engine code needs.*' "$out/err" "$out/json" | head -n 1)"
  exit 77
fi
"${FLATTEN:-$here/flatten.awk}" "$out/json" >"$out/flat" 2>>"$out/err" && awk -f "$here/counts.awk" "$out/flat" "$file" >"$out/said" && exit 0
echo "FAIL $name: gradus ${words[*]}"
cat "$out/said" 2>/dev/null
head -n 3 "$out/err"
exit 1
