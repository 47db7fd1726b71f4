# counts_page.awk: awk -f counts_page.awk CSV PAGE.md: the page with the lines between "<!-- counts -->" and "<!-- /counts -->"
# written anew from a table of counts.sh. SPDX-License-Identifier: MIT
function ncu_of(    i, said, copies, names) {
  split("requests to load,requests to store,sectors loaded,sectors stored,conflicts,registers", names, ",")
  said = ""
  copies = 0
  for (i = 1; i <= 6; i++) {
    if ($(15 + i) == "")
      return "not measured yet"
    if ($(15 + i) == $(7 + i))
      continue
    if ((i == 1 || i == 3) && $(15 + i) == $(7 + i) + $(i == 1 ? 14 : 15) && $14 > 0)
      copies = 1
    else
      said = said (said == "" ? "" : ", ") names[i] " " $(15 + i)
  }
  return said != "" ? said : copies ? "equal, copies among the loads" : "equal"
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
  print "| rung | size | loads | stores | asynchronous copies | conflicts of shared loads | registers | ncu |"
  print "|:--|:--|--:|--:|--:|--:|--:|:--|"
  for (i = 1; i <= rows; i++) {
    split(at[i], key, SUBSEP)
    launch = launches[key[1], key[2]] > 1 ? " `" name[i] "`" : ""
    print "| " key[1] launch " | " key[2] (coverage[i] == "sampled" ? " (sampled)" : "") " | " said[i]
  }
}
