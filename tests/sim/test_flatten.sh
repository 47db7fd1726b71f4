#!/usr/bin/env bash
# test_flatten.sh GRADUS FLATTEN: flatten.c, which the tests use, writes what flatten.awk writes, and refuses what that refuses.
# SPDX-License-Identifier: MIT
set -u
gradus=$1 flatten=$2 failed=0
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-flatten.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT

# compare WANTED-STATUS: of the JSON in $out/json.
compare() {
  local own awks
  "$flatten" "$out/json" >"$out/own" 2>"$out/err"
  own=$?
  "$here/flatten.awk" "$out/json" >"$out/awks" 2>>"$out/err"
  awks=$?
  if ((own != $1 || awks != $1)); then
    echo "FAIL: status $own of flatten.c, $awks of flatten.awk, wanted $1: $(head -c 200 "$out/json")"
    failed=1
  elif (($1 == 0)) && ! cmp -s "$out/own" "$out/awks"; then
    echo "FAIL: flatten.c and flatten.awk differ: $(diff "$out/own" "$out/awks" | head -n 5)"
    failed=1
  fi
}

while IFS= read -r json; do
  printf '%b' "$json" >"$out/json"
  compare 0
done <<'JSON'
{}
[ ]
-1.5e+10
"a"
{"a": 1, "b": [true, null, {"c": "x\\\\"}], "d": {}, "e": []}
{"quotes": "say \\\\\\"so\\\\\\", [not] {this}: 1,", "": "\\\\\\\\"}
  {"a":1,\n\t"b"\t:\r\n [\n1\n,\n2 ] }\n\n
[[[[1], 2], 3], "ä\\\\u00e4"]
JSON
while IFS= read -r json; do
  printf '%b' "$json" >"$out/json"
  compare 1
done <<'JSON'

{
{"a"}
{"a": }
{"a": 1,}
{"a": 1 "b": 2}
{a: 1}
[1, 2
[1 2]
[1]]
{"a": 1} x
{"a": "never ends
{"a": "over two\nlines"}
{"a": "ends in \\"}
{"a": 1]
;
JSON
"$gradus" explain 5 --simulate no --format json >"$out/json" 2>/dev/null </dev/null
compare 0
(($(wc -l <"$out/own") > 50)) || { echo "FAIL: $(wc -l <"$out/own") values of a kernel's explanation, wanted more than 50"; failed=1; }
exit $failed
