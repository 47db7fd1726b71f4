# compare.awk: awk -v fixed=0|1 -v edges=0|1 -f compare.awk KERNEL FINDINGS: says what is missing and what is too much (run_faults.sh tells
# what the marks mean); exit status 1 where there is any. fixed: there must be no finding; edges: those of EDGE marks. SPDX-License-Identifier: MIT
BEGIN {
  split("bounds race barrier uninitialised unused alignment overflow reads-c-at-beta-0 unwritten input-changed", names, " ")
  severity["FAULT"] = "fault"
  severity["WARN"] = severity["EDGE"] = "warning"
  severity["ADVISE"] = "advice"
  for (i in names)
    is_fault[names[i]] = names[i] != "unwritten" || fixed # which has no line to be marked
}
function has_word(text, word) {
  return (" " text " ") ~ ("[^A-Za-z0-9_]" word "[^A-Za-z0-9_]")
}
function add_marks(text, line, parts, words, n, i) {
  n = split(text, parts, /; */)
  for (i = 1; i <= n; i++) {
    if (split(parts[i], words, " ") < 2 || !is_fault[words[2]]) {
      print "line " line ": '" parts[i] "' is no mark"
      bad = 1
      continue
    }
    marks++
    role[marks] = words[1]
    kind[marks] = words[2]
    array[marks] = words[3]
    at[marks] = line
  }
}
{ file = FILENAME == ARGV[1] ? 1 : 2 }
file == 1 && match($0, /\/\/ (FAULT|WARN|ADVISE|EDGE|WITH|MAY) /) { add_marks(substr($0, RSTART + 3), FNR) }
file == 2 && /\t/ {
  split($0, field, "\t")
  if (is_fault[field[1]] && field[4] != "note") {
    found++
    found_kind[found] = field[1]
    found_line[found] = field[2]
    found_text[found] = field[3]
    found_severity[found] = field[4]
  }
}
function fits(f, m) {
  if ((role[m] != "MAY" && (role[m] == "EDGE") != (edges == 1)) || (role[m] in severity && found_severity[f] != severity[role[m]]))
    return 0
  return found_kind[f] == kind[m] && found_line[f] == at[m] && (array[m] == "" || has_word(found_text[f], array[m]))
}
function is_partner(w, m) {
  return w != m && role[w] != "MAY" && kind[w] == kind[m] && array[w] == array[m]
}
# A race has two lines: the finding's own, and one of the group's that its text names (the same, or another).
function names_partner(f, m, w, partners) {
  if (kind[m] != "race")
    return 1
  for (w = 1; w <= marks; w++)
    if (w == m || is_partner(w, m)) {
      partners += w != m
      if (has_word(found_text[f], "line " at[w]))
        return 1
    }
  return partners == 0
}
# Mark m is told of by finding f, on its own line or a partner's.
function tells(f, m, w) {
  if (fits(f, m))
    return names_partner(f, m)
  for (w = 1; w <= marks; w++)
    if (role[w] == "WITH" && is_partner(w, m) && fits(f, w))
      return names_partner(f, m)
  return 0
}
END {
  for (m = 1; m <= marks && !fixed; m++) {
    if (!(role[m] in severity) || (role[m] == "EDGE") != (edges == 1))
      continue
    told = 0
    for (f = 1; f <= found && !told; f++)
      told = tells(f, m)
    if (!told) {
      print "  missing: line " at[m] ": " kind[m] " " array[m]
      bad = 1
    }
  }
  for (f = 1; f <= found; f++) {
    allowed = 0
    for (m = 1; m <= marks && !fixed && !allowed; m++)
      allowed = fits(f, m)
    if (!allowed) {
      print "  not wanted: line " found_line[f] ": " found_kind[f] ": " found_text[f]
      bad = 1
    }
  }
  exit bad
}
