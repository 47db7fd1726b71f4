# counts_page.awk: awk -v list=counts.list -f counts_page.awk CSV PAGE.md: the page, with the lines between "<!-- counts -->" and
# "<!-- /counts -->" replaced by a summary of a table of counts.sh: a line for each kernel. SPDX-License-Identifier: MIT
#
# Conflicts that L1 counts although the wavefronts are equal are not the kernel's: tests/gpu/compare_counts.awk. ncu counts
# asynchronous copies as loads, waits for them as requests to shared memory, and waits for mbarriers as often as they are repeated.

BEGIN {
  while ((getline line < list) > 0)
    if (line !~ /^#/) {
      split(line, field, / [|] /)
      label[field[1]] = field[4]
    }
}
function value(what) {
  return (what in place) ? $place[what] : ""
}
# What ncu counts of this launch: "" if it was not measured, "equal", or what differs. Sets `waits`, the conflicts that L1 counts
# in addition, `copied` and `repeated`.
function verdict(    i, what, ours, theirs, differs, copies) {
  differs = ""
  waits = copied = repeated = 0
  for (i = 1; i <= metrics; i++) {
    what = column[i]
    ours = value(what)
    theirs = value("ncu_" what)
    copies = value("copy_requests") > 0
    if (theirs == "")
      return ""
    if (ours == "" || theirs == ours || (what == "shared_requests" && copies))
      continue
    if (copies && theirs == ours + (what == "ld_requests" ? value("copy_requests") : what == "ld_sectors" ? value("copy_sectors") : 0))
      copied = 1
    else if (what == "ld_conflicts" && theirs > ours && (value("ncu_shared_requests") == value("shared_requests") || copies) &&
             value("ncu_wavefronts") == value("wavefronts"))
      waits = theirs - ours
    else if (what == "executed" && theirs > ours && value("mbarriers") > 0)
      repeated = 1
    else
      differs = differs (differs == "" ? "" : ", ") label[what] " " theirs " and not " ours
  }
  return differs == "" ? "equal" : differs
}
function append(list, item) {
  return list == "" ? item : list ", " item
}
FILENAME == ARGV[1] && FNR == 1 {
  FS = ","
  $0 = $0
  for (i = 1; i <= NF; i++) {
    place[$i] = i
    if ($i ~ /^ncu_/)
      column[++metrics] = substr($i, 5)
  }
}
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
  if (repeated)
    repeats[k] = 1
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
      (repeats[k] ? "; more instructions where waits for mbarriers are repeated" : "") \
      " | " (most[k] ? most[k] : 0) " |"
}
