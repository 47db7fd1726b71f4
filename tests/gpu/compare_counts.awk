# compare_counts.awk: awk -v table=FILE -f compare_counts.awk COUNTED SIMULATED: fills ncu's counts (ncu_counts.awk) into the
# lines of scripts/counts.sh, which go to `table`, and says of each launch whether they are equal. SPDX-License-Identifier: MIT
#
# Asynchronous copies (cp.async) are no loads to the simulator. Where the GPU counts them among the loads, the line says so.
# L1's counter of conflicts also counts what other warps' traffic costs, and differs from run to run. Where it shows more
# conflicts, but as many requests and wavefronts as the simulator, the excess is no conflict of the kernel's; the line says so.
# Its count of requests to shared memory holds the waits for asynchronous copies too: of kernels with copies it is not compared.
BEGIN {
  FS = "\t"
  global = "_pipe_lsu_mem_global_op_"
  split("l1tex__t_requests" global "ld.sum l1tex__t_requests" global "st.sum l1tex__t_sectors" global "ld.sum " \
        "l1tex__t_sectors" global "st.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum " \
        "launch__registers_per_thread smsp__inst_executed_op_shared_ld.sum " \
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", metric, " ")
  split("requests to load|requests to store|sectors loaded|sectors stored|conflicts of shared loads|registers|" \
        "requests to load from shared memory|wavefronts of them", label, "|")
  split("8 9 10 11 12 13 16 17", column, " ")
  METRICS = 8
  CONFLICTS = 5
  SHARED_REQUESTS = 7

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
function counted_of(i) {
  return (($3, $4, metric[i]) in counted) ? counted[$3, $4, metric[i]] : ""
}
{
  row = $1
  for (i = 2; i <= 17; i++)
    row = row "," $i
  said = ""
  missing = with_copies = busy = 0
  same_waves = (counted_of(7) == $16 || $14 > 0) && counted_of(8) == $17
  for (i = 1; i <= METRICS; i++) {
    ours = $(column[i])
    theirs = counted_of(i)
    row = row "," theirs
    missing += theirs == ""
    copies = i == 1 ? $14 : i == 3 ? $15 : 0
    if (theirs == "" || theirs == ours || (i == SHARED_REQUESTS && $14 > 0))
      continue
    if (copies > 0 && theirs == ours + copies)
      with_copies = 1
    else if (i == CONFLICTS && theirs > ours && same_waves)
      busy = theirs - ours
    else
      said = said (said == "" ? "" : "; ") label[i] " " ours ", ncu " theirs
  }
  print row > table
  if (missing == METRICS)
    verdict = "not counted: ncu saw no launch of " $3 " with " $4 " blocks"
  else if (said == "" && missing == 0)
    verdict = "equal" (with_copies ? " (ncu counts asynchronous copies among the loads)" : "") \
      (busy ? " (its wavefronts too; L1 counted " busy " conflicts beside)" : "")
  else
    verdict = "DIFFERS: " said (missing ? (said == "" ? "" : "; ") missing " metrics not counted" : "")
  print sprintf("%s %s %s: ", $1, $2, $3) verdict ($6 == "sampled" ? " (sampled: the simulator's counts are not exact)" : "")
}
