#!/bin/sh
# table.sh GRADUS KERNEL [OPTION...]: the largest error of 128 x 128 elements, in units of eps * sum|a||b|, of a kernel and of the
# library beside it, for data that are hard on a product and K from 64 to 65536. OPTIONs are those of `gradus run`, as
# --device cuda --peer cublas. SPDX-License-Identifier: MIT
set -eu
gradus=$1 kernel=$2
shift 2
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "| data | K = 64 | 512 | 4096 | 65536 |"
echo "|:--|--:|--:|--:|--:|"
for kind in uniform normal positive wide opposite cancelling denormal large infinite; do
  printf '| %s' "$kind"
  for k in ${SIZES:-64 512 4096 65536}; do
    python3 "$here/data.py" 128 128 "$k" "$kind" "$folder/a.npy" "$folder/b.npy"
    "$gradus" run "$kernel" "$@" --input "$folder/a.npy" "$folder/b.npy" --verify-only --shapes no --format json >"$folder/rows" ||
      true
    awk -F'[:,]' '/"verdict"/ && $2 !~ /right/ { wrong = wrong " " $2 }
      /"ratio"/ && ++rows <= 2 { printf((rows == 2 ? ", %.2f" : " | %.2f"), $2) }
      END { if (wrong) printf "%s", wrong }' "$folder/rows"
  done
  echo " |"
done
