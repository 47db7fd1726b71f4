#!/usr/bin/env bash
# run_counts.sh GRADUS FILE: the simulator's counts of a small kernel, against those worked out by hand, which stand behind
# its lines. SPDX-License-Identifier: MIT
#
#   // COUNT access space name number …     all sites of the line with that access (load, store, …) and space together;
#                                           bytes and source_bytes are of each
#   //! options --gpu mi210                 more words for the command
set -u
gradus=$1 file=$2
here=$(dirname "$0")
export GRADUS_NVRTC=/missing.so # what the simulator sees does not depend on NVIDIA's compiler
name=$(basename "${file%.*}")
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-counts.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
read -ra options < <(sed -n 's|^//! options ||p' "$file"; echo)
words=(explain "$file" --device sim --size "$(sed -n 's|^//! size ||p' "$file")" "${options[@]}" --format json)

timeout 100 "$gradus" "${words[@]}" >"$out/json" 2>"$out/err" </dev/null
if grep -q 'cannot simulate here' "$out/err"; then
  echo "skip: $(head -n 1 "$out/err")"
  exit 77
fi
awk -f "$here/flatten.awk" "$out/json" >"$out/flat" 2>>"$out/err" && awk '
  BEGIN { FS = "\t" }
  FNR == 1 { file++ }
  file == 1 && match($1, /^sites\.[0-9]+\./) {
    site = substr($1, 7, RLENGTH - 7)
    value[site, substr($1, RLENGTH + 1)] = $2
    if (site + 1 > sites)
      sites = site + 1
  }
  file == 2 && match($0, /\/\/ COUNT /) { check(substr($0, RSTART + 9), FNR) }
  function check(text, line, word, n, i, s, sum, found) {
    n = split(text, word, " ")
    marks++
    for (i = 3; i + 1 <= n; i += 2) {
      sum = found = 0
      for (s = 0; s < sites; s++) {
        if (value[s, "line"] != line || value[s, "access"] != word[1] || value[s, "space"] != word[2])
          continue
        sum = found && word[i] ~ /bytes/ ? value[s, word[i]] : sum + value[s, word[i]]
        found = 1
      }
      if (!found || sum != word[i + 1]) {
        print "  line " line ": " word[1] " " word[2] ": found " (found ? sum : "no") " " word[i] ", wanted " word[i + 1]
        bad = 1
      }
    }
  }
  END { exit bad || marks == 0 }
' "$out/flat" "$file" >"$out/said" && exit 0
echo "FAIL $name: gradus ${words[*]}"
cat "$out/said" 2>/dev/null
head -n 3 "$out/err"
exit 1
