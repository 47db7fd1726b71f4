# compare_counts.awk: awk -v table=FILE -v list=counts.list -f compare_counts.awk COUNTED SIMULATED: fills ncu's counts
# (ncu_counts.awk) into the lines of scripts/counts.sh, which go to `table`, and says of each launch whether they are equal.
# SPDX-License-Identifier: MIT
#
# Asynchronous copies (cp.async) are no loads to the simulator. Where the GPU counts them among the loads, the line says so.
# L1's counter of conflicts also counts what other warps' traffic costs, and differs from run to run. Where it shows more
# conflicts, but as many requests and wavefronts as the simulator, the excess is no conflict of the kernel's; the line says so.
# L1's count of requests to shared memory holds the waits for asynchronous copies too: of kernels with copies it is not compared.
# A loop that waits for an mbarrier is repeated as long as the wait takes, which the simulator does not know: what more than in
# the simulator is executed differs from run to run, and the line says how much it was.
BEGIN {
  while ((getline line < list) > 0)
    if (line !~ /^#/) {
      split(line, field, / [|] /)
      metric[field[1]] = field[3]
      label[field[1]] = field[4]
    }
  FS = "\t"
}
FILENAME == ARGV[1] {
  counted[$1, $2, $3] = $4
  next
}
FNR == 1 {
  print > table
  FS = OFS = ","
  $0 = $0
  for (i = 1; i <= NF; i++) {
    at[$i] = i
    if (sub(/^ncu_/, "", $i)) {
      theirs_at[++metrics] = i
      column[metrics] = $i
    }
  }
  next
}
function ours(what) {
  return (what in at) ? $at[what] : ""
}
function theirs(what,    i, n, part, sum) {
  n = split(metric[what], part, "+")
  for (i = 1; i <= n; i++) {
    if (!(($3, $4, part[i]) in counted))
      return ""
    sum += counted[$3, $4, part[i]]
  }
  return sum
}
# What ncu counts in place of `what`, or nothing where it is equal, or what it counts beside is no count of the kernel's.
function difference(what,    copies) {
  copies = what == "ld_requests" ? ours("copy_requests") : what == "ld_sectors" ? ours("copy_sectors") : 0
  if (ours(what) == "" || theirs(what) == ours(what) || (what == "shared_requests" && ours("copy_requests") > 0))
    return ""
  if (copies > 0 && theirs(what) == ours(what) + copies)
    with_copies = 1
  else if (what == "ld_conflicts" && theirs(what) > ours(what) && same_waves)
    busy = theirs(what) - ours(what)
  else if (what == "executed" && theirs(what) > ours(what) && ours("mbarriers") > 0)
    again = theirs(what) - ours(what)
  else
    return label[what] " " ours(what) ", ncu " theirs(what)
  return ""
}
{
  said = ""
  missing = with_copies = busy = again = 0
  same_waves = (theirs("shared_requests") == ours("shared_requests") || ours("copy_requests") > 0) && \
    theirs("wavefronts") == ours("wavefronts")
  for (i = 1; i <= metrics; i++) {
    if (theirs(column[i]) == "") {
      missing++
      continue
    }
    found = difference(column[i])
    said = said (said == "" || found == "" ? "" : "; ") found
  }
  for (i = 1; i <= metrics; i++)
    $theirs_at[i] = theirs(column[i])
  print > table
  if (missing == metrics)
    verdict = "not counted: ncu saw no launch of " $3 " with " $4 " blocks"
  else if (said == "" && missing == 0)
    verdict = "equal" (with_copies ? " (ncu counts asynchronous copies among the loads)" : "") \
      (again ? " (and " again " instructions of waits for mbarriers that were repeated)" : "") \
      (busy ? " (its wavefronts too; L1 counted " busy " conflicts beside)" : "")
  else
    verdict = "DIFFERS: " said (missing ? (said == "" ? "" : "; ") missing " metrics not counted" : "")
  print sprintf("%s %s %s: ", $1, $2, $3) verdict ($6 == "sampled" ? " (sampled: the simulator's counts are not exact)" : "")
}
