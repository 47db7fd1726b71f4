# batches.awk: awk -F, -f batches.awk SIMULATED: the sizes in lines of scripts/counts.sh, in lists for one run each, the largest
# first. Within a list no launch of a kernel has as many blocks as another, so that ncu's lines can be told apart.
# SPDX-License-Identifier: MIT
NR > 1 && !($2 in launches) {
  sizes[++count] = $2
  n = split($2, side, "x")
  work[$2] = side[1] * side[n > 1 ? 2 : 1] * side[n > 1 ? 3 : 1]
}
NR > 1 { launches[$2] = launches[$2] " " $3 ":" $4 }
END {
  for (i = 2; i <= count; i++)
    for (j = i; j > 1 && work[sizes[j]] > work[sizes[j - 1]]; j--) {
      other = sizes[j]
      sizes[j] = sizes[j - 1]
      sizes[j - 1] = other
    }
  for (left = count; left > 0;) {
    split("", taken)
    list = ""
    for (i = 1; i <= count; i++) {
      if (done[i])
        continue
      n = split(launches[sizes[i]], launch, " ")
      fits = 1
      for (k = 1; k <= n; k++)
        fits = fits && !(launch[k] in taken)
      if (!fits)
        continue
      for (k = 1; k <= n; k++)
        taken[launch[k]] = 1
      done[i] = 1
      left--
      list = list (list == "" ? "" : ",") sizes[i]
    }
    print list
  }
}
