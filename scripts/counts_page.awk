# counts_page.awk: awk -f counts_page.awk CSV PAGE.md: the page, with the lines between "<!-- counts -->" and "<!-- /counts -->"
# replaced by a summary of a table of counts.sh: a line for each kernel. SPDX-License-Identifier: MIT
#
# The columns from 18 on are ncu's. Conflicts that L1 counts although the wavefronts are equal are not the kernel's:
# tests/gpu/compare_counts.awk. ncu counts asynchronous copies as loads.

# What ncu counts of this launch: "" if it was not measured, "equal", or what differs. Sets `waits`, the conflicts that L1 counts
# in addition, and `copied`.
function verdict(    i, ours, differs, names) {
  split("requests to load,requests to store,sectors loaded,sectors stored,conflicts,registers", names, ",")
  differs = ""
  waits = copied = 0
  for (i = 1; i <= 6; i++) {
    ours = $(7 + i)
    if ($(17 + i) == "")
      return ""
    if ($(17 + i) == ours)
      continue
    if ((i == 1 || i == 3) && $(17 + i) == ours + $(i == 1 ? 14 : 15) && $14 > 0)
      copied = 1
    else if (i == 5 && $(17 + i) > ours && ($24 == $16 || $14 > 0) && $25 == $17)
      waits = $(17 + i) - ours
    else
      differs = differs (differs == "" ? "" : ", ") names[i] " " $(17 + i) " and not " ours
  }
  return differs == "" ? "equal" : differs
}
function append(list, item) {
  return list == "" ? item : list ", " item
}
FILENAME == ARGV[1] && FNR == 1 { FS = "," }
FILENAME == ARGV[1] && FNR > 1 {
  launches[$1, $2]++
  at = $1 SUBSEP $3
  if (!(at in seen)) {
    seen[at] = ++kernels
    kernel[kernels] = $1
    name[kernels] = $3
  }
  k = seen[at]
  if (launches[$1, $2] > 1)
    several[$1] = 1
  found = verdict()
  size = $2 ($6 == "sampled" ? " (sampled)" : "")
  if (found == "equal")
    equal[k] = append(equal[k], size)
  else if (found == "")
    unmeasured[k] = append(unmeasured[k], size)
  else
    different[k] = different[k] (different[k] == "" ? "" : "; ") "at " size " " found
  if (waits > most[k])
    most[k] = waits
  if (copied)
    copies[k] = 1
}
function summary(k,    text) {
  text = equal[k] == "" ? "" : "equal at " equal[k]
  if (different[k] != "")
    text = text (text == "" ? "" : "; ") different[k]
  if (unmeasured[k] != "")
    text = text (text == "" ? "" : "; ") "not measured at " unmeasured[k]
  return text
}
FILENAME == ARGV[2] {
  if ($0 == "<!-- /counts -->")
    skip = 0
  if (!skip)
    print
  if ($0 != "<!-- counts -->")
    next
  skip = 1
  print "| kernel | compared with ncu | conflicts that only L1 counts, at most |"
  print "|:--|:--|--:|"
  for (k = 1; k <= kernels; k++)
    print "| " kernel[k] (several[kernel[k]] ? " `" name[k] "`" : "") " | " summary(k) (copies[k] ? "; ncu counts its copies as loads" : "") \
      " | " (most[k] ? most[k] : 0) " |"
}
