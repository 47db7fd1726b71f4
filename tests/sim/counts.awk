# counts.awk: of flatten.awk's lines and a kernel's file, the counts that COUNT marks in the file want (run_counts.sh explains
# them) and that were not found; exit status 1 where there is any, or no mark. SPDX-License-Identifier: MIT
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 && match($1, /^sites\.[0-9]+\./) {
  site = substr($1, 7, RLENGTH - 7)
  value[site, substr($1, RLENGTH + 1)] = $2
  if (site + 1 > sites)
    sites = site + 1
}
file == 2 && match($0, /\/\/ COUNT /) {
  parts = split(substr($0, RSTART + 9), part, /; *COUNT /)
  for (p = 1; p <= parts; p++)
    check(part[p], FNR)
}
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
