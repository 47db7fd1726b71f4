# counts_row.awk: awk -v size=SIZE -v list=counts.list -f counts_row.awk FLAT: prints the lines of counts.sh from the flattened JSON
# of `gradus explain` (tests/sim/flatten.awk). SPDX-License-Identifier: MIT
BEGIN {
  while ((getline line < list) > 0)
    if (line !~ /^#/) {
      split(line, field, / [|] /)
      path[++columns] = field[2]
      if (field[3] != "-")
        theirs = theirs ","
    }
  FS = "\t"
}
{ value[$1] = $2 }
$1 ~ /^stanzas\.[0-9]+\.name$/ { launches++ }
function blocks_of(name) {
  return ("facts." name ".grid.blocks") in value ? value["facts." name ".grid.blocks"] : value["facts.grid.blocks"]
}
# The value at a path of counts.list; what the machine code alone tells is empty if it was not executed.
function count(i, what,    at, k, name) {
  at = "stanzas." i "."
  if (!match(what, /\[.*\]/))
    return value[at what]
  name = substr(what, RSTART + 1, RLENGTH - 2)
  at = at substr(what, 1, RSTART - 1)
  what = substr(what, RSTART + RLENGTH + 1)
  for (k = 0; (at "." k ".name") in value; k++)
    if (value[at "." k ".name"] == name)
      return value[at "." k "." what]
  return k > 0 ? 0 : ""
}
END {
  if (value["untraced"] != "" && value["untraced"] != "null")
    print value["untraced"] > "/dev/stderr"
  for (i = 0; i < launches; i++) {
    if (count(i, "coverage") == "" || count(i, "coverage") == "null")
      continue
    told++
    name = count(i, "name")
    row = value["kernel"] "," size "," name "," blocks_of(name) "," value["arch"] "," count(i, "coverage") "," count(i, "widths")
    for (c = 1; c <= columns; c++)
      row = row "," count(i, path[c])
    print row theirs
  }
  exit told == 0
}
