# counts_row.awk: awk -v size=SIZE -f counts_row.awk FLAT: prints the lines of counts.sh from the flattened JSON of
# `gradus explain` (tests/sim/flatten.awk). SPDX-License-Identifier: MIT
BEGIN { FS = "\t" }
{ value[$1] = $2 }
$1 ~ /^stanzas\.[0-9]+\.name$/ { launches++ }
function blocks_of(name) {
  return ("facts." name ".grid.blocks") in value ? value["facts." name ".grid.blocks"] : value["facts.grid.blocks"]
}
function count(i, what) {
  return value["stanzas." i "." what]
}
END {
  if (value["untraced"] != "" && value["untraced"] != "null")
    print value["untraced"] > "/dev/stderr"
  for (i = 0; i < launches; i++) {
    if (count(i, "coverage") == "" || count(i, "coverage") == "null")
      continue
    told++
    name = count(i, "name")
    printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,,,,,,,,\n", value["kernel"], size, name, blocks_of(name), value["arch"],
      count(i, "coverage"), count(i, "widths"), count(i, "global.loads.requests"), count(i, "global.stores.requests"),
      count(i, "global.loads.sectors"), count(i, "global.stores.sectors"), count(i, "shared.loads.conflicts"),
      count(i, "resources.registers"), count(i, "global.copies.requests"), count(i, "global.copies.sectors"),
      count(i, "shared.loads.requests"), count(i, "shared.loads.wavefronts")
  }
  exit told == 0
}
