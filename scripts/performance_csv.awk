# performance_csv.awk: awk -f performance_csv.awk RUN.md RUN.md: the products of a sweep as CSV, from the tables that
# `gradus bench --preset` writes as Markdown. The file is read twice, since not every table needs to have the same peers.
# SPDX-License-Identifier: MIT
#
# Ratios are the peer's time over that of libgradus. `note` is what the ratio's cell holds besides, as "unsteady".
function trimmed(text) {
  gsub(/^ +| +$/, "", text)
  return text
}
BEGIN { FS = "|" }
/^### / {
  products = match($0, /, [0-9]+ threads?$/)
  type = substr($0, 5, RSTART - 5)
  threads = substr($0, RSTART + 2) + 0
}
!products || !/^\|/ || /^\|:?-/ { next }
$2 ~ /^ size / {
  columns = NF - 1
  for (i = 10; i <= columns; i++) {
    peer[i] = trimmed($i)
    if (FNR == NR && !(peer[i] in known)) {
      known[peer[i]] = 1
      order[++peers] = peer[i]
    }
  }
  if (FNR != NR && !begun++) {
    printf "type,threads,size,trans,cache,gflops,percent_of_peak,fastest_peer,fastest_peer_gflops,ratio,ratio_low,ratio_high,note"
    for (i = 1; i <= peers; i++)
      printf ",ratio_to_%s", order[i]
    print ""
  }
  next
}
FNR != NR {
  split("", ratio)
  for (i = 10; i <= columns; i++) {
    ratio[peer[i]] = trimmed($i)
    sub(/x.*/, "", ratio[peer[i]])
  }
  share = trimmed($6)
  sub(/%/, "", share)
  split(trimmed($9), part, /x \[|,|\] ?/)
  printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s", type, threads, trimmed($2), trimmed($3), trimmed($4), trimmed($5), share,
    trimmed($7), trimmed($8), part[1], part[2], part[3], part[4]
  for (i = 1; i <= peers; i++)
    printf ",%s", ratio[order[i]]
  print ""
}
