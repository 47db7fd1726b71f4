#!/usr/bin/env bash
# check_strangers.sh FOLDER [PATTERN]: check_counts.sh for the public kernels of strangers.list whose repositories lie in
# FOLDER; FETCH=1 clones those that do not. PATTERN (an extended regular expression) picks lines of the list.
# SPDX-License-Identifier: MIT
#
#   FETCH=1 TABLE=docs/third-party.csv tests/gpu/check_strangers.sh strangers
#   scripts/counts.sh --page docs/third-party.md docs/third-party.csv
#
# Without an NVIDIA GPU and ncu the simulator's side alone is counted. Environment: GRADUS, TABLE, FACTS as for
# check_counts.sh; SIMULATED: a table of this script, whose lines are not simulated again; NCU=no: do not look for ncu; LIST.
# Exit status: 0 all equal, 1 something differs or fails, 3 there is no ncu.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
folder=${1:?check_strangers.sh FOLDER [PATTERN]} pattern=${2:-.}
export GRADUS=${GRADUS:-$root/build/gradus}
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-strangers.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
read -ra facts <<<"${FACTS:---arch sm_90a}"
table=${TABLE:-} simulated=${SIMULATED:-}
unset TABLE SIMULATED

# shellcheck source=/dev/null # it is beside this file
. "$here/fetch_stranger.sh"

# simulate LABEL FILE OPTION…: the simulator's lines of a kernel, in $out/simulated.
simulate() {
  local label=$1 file=$2
  shift 2
  if [[ -n $simulated ]]; then
    awk -F, -v OFS=, -v label="$label" -v name="$(basename "${file%.*}")" \
      'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^ncu_/) theirs[i] = 1; print }
       $1 == label { $1 = name; for (i in theirs) $i = ""; print }' "$simulated" >"$out/simulated"
  else
    "$root/scripts/counts.sh" "$file" -- "${facts[@]}" "$@" >"$out/simulated"
  fi
}

status=0
while IFS='|' read -r repository commit file kernel sizes options; do
  fetch "$folder" "$repository" "$commit" || {
    status=1
    continue
  }
  label="$repository ${file##*/} ${kernel%%<*}" path=$folder/$repository/$file
  read -ra words <<<"$options"
  words+=(--kernel "$kernel")
  export SIZES=$sizes
  simulate "$label" "$path" "${words[@]}" || status=1
  cp "$out/simulated" "$out/table"
  if [[ ${NCU:-} != no ]]; then
    SIMULATED=$out/simulated TABLE=$out/table "$here/check_counts.sh" "$path" -- "${words[@]}" >"$out/said"
    code=$?
    ((code == 0)) || status=$code
    grep -v '^check-counts: [0-9]' "$out/said" | sed "s|^[^ ]* |$label |"
  fi
  [[ -s $out/whole ]] || head -n 1 "$out/table" >"$out/whole"
  tail -n +2 "$out/table" | sed "s|^[^,]*,|$label,|" >>"$out/whole"
done < <(grep -v '^#' "${LIST:-$here/strangers.list}" | grep -E -e "$pattern")
if [[ -n $table && -s $out/whole ]]; then
  cp "$out/whole" "$table"
fi
exit $status
