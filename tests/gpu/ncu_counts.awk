# ncu_counts.awk: awk -f ncu_counts.awk CSV: ncu's table of launches as lines "kernel TAB blocks TAB metric TAB value". Of
# several launches of a kernel with as many blocks the last counts. SPDX-License-Identifier: MIT
function number(text) {
  gsub(/,/, "", text)
  return text
}
function blocks_of(grid, side) {
  gsub(/[() ]/, "", grid)
  return split(grid, side, ",") == 3 ? side[1] * side[2] * side[3] : 0
}
/^"/ {
  line = $0
  sub(/\r$/, "", line)
  count = split(substr(line, 2, length(line) - 2), field, "\",\"")
  if (!("Metric Name" in at)) {
    for (i = 1; i <= count; i++)
      at[field[i]] = i
    next
  }
  value = number(field[at["Metric Value"]])
  if (value !~ /^[0-9.eE+-]+$/)
    next
  key = field[at["Kernel Name"]] "\t" blocks_of(field[at["Grid Size"]]) "\t" field[at["Metric Name"]]
  if (!(key in last))
    order[++keys] = key
  last[key] = value
}
END {
  for (i = 1; i <= keys; i++)
    print order[i] "\t" last[order[i]]
}
