# counts_page.awk: awk -f counts_page.awk CSV PAGE.md: the page with the lines between "<!-- counts -->" and "<!-- /counts -->"
# written anew from a table of counts.sh. SPDX-License-Identifier: MIT
#
# The columns from 18 on are ncu's. Conflicts that L1 counts beside the wavefronts are not the kernel's: compare_counts.awk.
function ncu_of(    i, ours, said, copies, beside, names) {
  split("requests to load,requests to store,sectors loaded,sectors stored,conflicts,registers", names, ",")
  said = ""
  copies = beside = 0
  for (i = 1; i <= 6; i++) {
    ours = $(7 + i)
    if ($(17 + i) == "")
      return "not measured yet"
    if ($(17 + i) == ours)
      continue
    if ((i == 1 || i == 3) && $(17 + i) == ours + $(i == 1 ? 14 : 15) && $14 > 0)
      copies = 1
    else if (i == 5 && $(17 + i) > ours && ($24 == $16 || $14 > 0) && $25 == $17)
      beside = $(17 + i) - ours
    else
      said = said (said == "" ? "" : ", ") names[i] " " $(17 + i)
  }
  if (said != "")
    return said
  return "equal" (copies ? ", copies among the loads" : "") (beside ? ", " beside " conflicts beside" : "")
}
FILENAME == ARGV[1] && FNR == 1 { FS = "," }
FILENAME == ARGV[1] && FNR > 1 {
  launches[$1, $2]++
  rows++
  name[rows] = $3
  at[rows] = $1 SUBSEP $2
  said[rows] = $8 " / " $10 " | " $9 " / " $11 " | " ($14 > 0 ? $14 " / " $15 : "") " | " $12 " | " $13 " | " ncu_of() " |"
  coverage[rows] = $6
}
FILENAME == ARGV[2] {
  if ($0 == "<!-- /counts -->")
    skip = 0
  if (!skip)
    print
  if ($0 != "<!-- counts -->")
    next
  skip = 1
  print "| kernel | size | loads | stores | asynchronous copies | conflicts of shared loads | registers | ncu |"
  print "|:--|:--|--:|--:|--:|--:|--:|:--|"
  for (i = 1; i <= rows; i++) {
    split(at[i], key, SUBSEP)
    launch = launches[key[1], key[2]] > 1 ? " `" name[i] "`" : ""
    print "| " key[1] launch " | " key[2] (coverage[i] == "sampled" ? " (sampled)" : "") " | " said[i]
  }
}
