# compare_counts.awk: awk -v table=FILE -f compare_counts.awk COUNTED SIMULATED: fills ncu's counts (ncu_counts.awk) into the
# lines of scripts/counts.sh, which go to `table`, and says of each launch whether they are equal. SPDX-License-Identifier: MIT
#
# Asynchronous copies (cp.async) are no loads to the simulator. Where the GPU counts them among the loads, the line says so.
BEGIN {
  FS = "\t"
  global = "_pipe_lsu_mem_global_op_"
  split("l1tex__t_requests" global "ld.sum l1tex__t_requests" global "st.sum l1tex__t_sectors" global "ld.sum " \
        "l1tex__t_sectors" global "st.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum " \
        "launch__registers_per_thread", metric, " ")
  split("requests to load|requests to store|sectors loaded|sectors stored|conflicts of shared loads|registers", label, "|")
}
FILENAME == ARGV[1] {
  counted[$1, $2, $3] = $4
  next
}
FNR == 1 {
  print > table
  FS = ","
  next
}
{
  row = $1
  for (i = 2; i <= 15; i++)
    row = row "," $i
  said = ""
  missing = with_copies = 0
  for (i = 1; i <= 6; i++) {
    ours = $(7 + i)
    if (!(($3, $4, metric[i]) in counted)) {
      row = row ","
      missing++
      continue
    }
    theirs = counted[$3, $4, metric[i]]
    row = row "," theirs
    copies = i == 1 ? $14 : i == 3 ? $15 : 0
    if (theirs == ours)
      continue
    if (copies > 0 && theirs == ours + copies)
      with_copies = 1
    else
      said = said (said == "" ? "" : "; ") label[i] " " ours ", ncu " theirs
  }
  print row > table
  if (missing == 6)
    verdict = "not counted: ncu saw no launch of " $3 " with " $4 " blocks"
  else if (said == "" && missing == 0)
    verdict = "equal" (with_copies ? " (ncu counts asynchronous copies among the loads)" : "")
  else
    verdict = "DIFFERS: " said (missing ? (said == "" ? "" : "; ") missing " metrics not counted" : "")
  print sprintf("%s %s %s: ", $1, $2, $3) verdict ($6 == "sampled" ? " (sampled: the simulator's counts are not exact)" : "")
}
