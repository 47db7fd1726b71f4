#!/usr/bin/env bash
# code_counts.sh FOLDER [LIST …]: on a machine with an NVIDIA GPU and ncu: what the launches of the lists (launch_line.c has their
# form) write, and what the hardware counts of them. FOLDER has the cubins that the lists name, and the lists if none is said:
# launches_open.list, launches_seen.list and launches_held.list. SPDX-License-Identifier: MIT
#
#   OUT=/tmp/out tests/gpu/code_counts.sh .truth
#
# It writes to $OUT: hashes.csv (id, array, type, count, FNV-1a of what the kernel left there or ERROR, whether a second run left
# the same), core.csv and more.csv (a row a launch, a column a metric), metrics.txt (names of all that ncu has), log.txt. What is said
# of the launches of launches_held.list is in held_hashes.csv, held_core.csv and held_more.csv instead: it is for measuring how exact
# an engine is, not for making it.
# Environment: BUDGET (530): seconds after which nothing new is begun; CHUNK (40): launches of one process of ncu; ONLY: text that an
# id has; RAW: text of ids whose arrays come back, in raw.tar.gz; SETS ('core more'); CC; NCU.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "${1:?code_counts.sh FOLDER [LIST …]}" && pwd)
shift
lists=("$@")
((${#lists[@]} > 0)) || lists=("$folder"/launches_open.list "$folder"/launches_seen.list "$folder"/launches_held.list)
OUT=${OUT:-$folder/out}
mkdir -p "$OUT"
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-code-counts.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
budget=${BUDGET:-530} chunk=${CHUNK:-40}
exec > >(tee "$OUT/log.txt") 2>&1

launch=$work/launch_line
source=$here/launch_line.c
[[ -f $source ]] || source=$folder/launch_line.c
if ! "${CC:-gcc}" -std=c11 -O2 -o "$launch" "$source" -ldl; then
  launch=$folder/launch_line
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null

# The lists as one, without comments, in chunks.
cat "${lists[@]}" | grep -v -e '^#' -e '^[[:space:]]*$' | grep -F -e "${ONLY:-|}" >"$work/all"
echo "code-counts: $(wc -l <"$work/all") launches of ${#lists[@]} lists"
options=(--folder "$folder")
if [[ -n ${RAW:-} ]]; then
  mkdir -p "$work/raw"
  timeout 120 "$launch" "${options[@]}" --only "$RAW" --raw "$work/raw" "$work/all"
  tar -C "$work" -czf "$OUT/raw.tar.gz" raw
fi

# What they write, twice.
for run in 1 2; do
  : >"$work/hashes.$run"
  timeout 150 "$launch" "${options[@]}" --hashes "$work/hashes.$run" "$work/all" 2>"$work/said.$run" || tail -n 3 "$work/said.$run"
  grep -v -e '^launch_line:' "$work/said.$run" | head -n 40
done
diff "$work/hashes.1" "$work/hashes.2" | sed -n 's/^[<>] \([^,]*,[^,]*\),.*/\1/p' | sort -u >"$work/unstable"
awk -F, -v file="$work/unstable" 'BEGIN { while ((getline line < file) > 0) unstable[line] = 1
    print "id,array,type,count,fnv1a64,stable" }
  { print $0 "," (($1 "," $2) in unstable ? "no" : "yes") }' "$work/hashes.1" >"$OUT/hashes.csv"
grep -h ',-,-,-,' "$work/hashes.1" "$work/hashes.2" | cut -d, -f1 | sort -u >"$work/bad"
cut -d, -f1 "$work/hashes.1" | sort -u >"$work/hashed"
cut -d' ' -f1 "$work/all" | sort | comm -23 - "$work/hashed" >"$work/silent"
echo "code-counts: $SECONDS s: $(wc -l <"$work/hashed") launches hashed, $(wc -l <"$work/bad") failed," \
  "$(cut -d, -f1 "$work/unstable" | sort -u | wc -l) unstable, $(wc -l <"$work/silent") wrote nothing"

# shellcheck disable=SC2012 # names without odd characters
ncu=${NCU:-$(command -v ncu || ls -d /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)}
[[ -n $ncu ]] || {
  echo 'code-counts: no ncu here'
  exit 3
}

# The metrics that this ncu has of those wanted: base names, to which ".sum" is appended.
"$ncu" --query-metrics --chips gh100 >"$work/query" 2>&1 || "$ncu" --query-metrics >"$work/query" 2>&1
grep -oE '^ *[a-z0-9]+__[a-z0-9_]+' "$work/query" | tr -d ' ' | sort -u >"$work/names"
[[ -n ${RAW:-} ]] || cp "$work/names" "$OUT/metrics.txt" # no more than eight files come back
core='^l1tex__t_(requests|sectors)_pipe_lsu_mem_(global|local)_op_(ld|st|atom|red|ldgsts.*)$'
core+='|^l1tex__data_bank_conflicts_pipe_lsu_mem_shared(_op_(ld|st|atom|red|ldgsts|ldsm))?$'
core+='|^l1tex__data_pipe_lsu_wavefronts_mem_shared(_op_(ld|st|atom|red|ldgsts|ldsm))?$'
core+='|^smsp__(thread_)?inst_executed(_pred_on)?$|^smsp__thread_inst_executed_pred_on$'
core+='|^smsp__inst_executed_op_[a-z0-9_]+$|^smsp__sass_l1tex_[a-z0-9_]+$'
more='^smsp__inst_executed_pipe_[a-z0-9_]+$|^smsp__sass_inst_executed[a-z0-9_]*$|^smsp__sass_thread_inst_executed[a-z0-9_]*$'
more+='|^smsp__sass_branch_targets[a-z0-9_]*$|^smsp__branch_targets[a-z0-9_]*$'
more+='|^(smsp|l1tex|sm)__[a-z0-9_]*(tma|bulk|utm)[a-z0-9_]*$|^l1tex__t_(requests|sectors)_pipe_lsu_mem_[a-z0-9_]*ldgsts[a-z0-9_]*$'
fallback='l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_requests_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_st
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st smsp__inst_executed
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st'
metrics_of() {
  local pattern=$1 names
  names=$(grep -E -e "$pattern" "$work/names" | grep -v -e throughput -e ratio -e pct -e cycles -e ideal)
  [[ -n $names ]] || names=$fallback
  for name in $names; do printf '%s.sum,' "$name"; done
  echo launch__registers_per_thread
}

# count METRICS LIST SECONDS: one process of ncu, whose rows are then in $work/rows.
count() {
  rm -f "$work/order"
  timeout "$3" "$ncu" --csv --page raw --print-units base --replay-mode kernel --clock-control none --cache-control none \
    --metrics "$1" "$launch" "${options[@]}" --seconds 300 --order "$work/order" --skip "$work/bad" "$2" >"$work/ncu" 2>"$work/ncu.err"
  code=$?
  touch "$work/order"
  rows "$work/ncu" "$work/order" >"$work/rows"
}
said() {
  grep -h -e ERR_ -e ==ERROR== -e ==WARNING== "$work/ncu" "$work/ncu.err" | head -n "$1" | tr '\n' ' '
}

# Those of the metrics that ncu takes: it refuses all because of one that it does not know.
accepted() {
  local metrics=$1 wrong
  grep -v -F -f "$work/bad" "$work/all" | head -n 1 >"$work/one"
  for _ in 1 2 3 4 5 6 7 8; do
    count "$metrics" "$work/one" 90 2>/dev/null
    if [[ -s $work/rows ]]; then
      echo "$metrics"
      return
    fi
    wrong=$(grep -h -e ==ERROR== "$work/ncu" "$work/ncu.err" | grep -oE '[a-z0-9]+__[a-z0-9_]+' | sort -u)
    [[ -n $wrong ]] || break
    metrics=$(tr ',' '\n' <<<"$metrics" | grep -v -F -e "$wrong" | paste -sd,)
  done
  said 3 >&2
  metrics_of '^$'
}

# rows CSV ORDER: ncu's raw page as "id,value,…", with a head of the metrics' names.
rows() {
  awk -v order="$2" '
    function cell(text) { gsub(/,/, "", text); return text }
    BEGIN { while ((getline id < order) > 0) ids[++known] = id }
    /^"/ {
      line = $0
      sub(/\r$/, "", line)
      count = split(substr(line, 2, length(line) - 2), field, "\",\"")
      if (!head) {
        head = count
        printf "id"
        for (i = 1; i <= count; i++)
          if (field[i] ~ /__/) { keep[i] = 1; printf ",%s", field[i] }
        printf "\n"
        next
      }
      if (field[1] !~ /^[0-9]+$/)
        next
      printf "%s", ids[++row]
      for (i = 1; i <= count; i++)
        if (i in keep) printf ",%s", cell(field[i])
      printf "\n"
    }
    END { if (row != known) print "code-counts: " row + 0 " rows of " known + 0 " launches" > "/dev/stderr" }' "$1"
}

split -l "$chunk" -d -a 3 "$work/all" "$work/chunk."
for set in ${SETS:-core more}; do
  case $set in core) pattern=$core ;; *) pattern=$more ;; esac
  metrics=$(accepted "$(metrics_of "$pattern")")
  echo "code-counts: $set: $(tr ',' '\n' <<<"$metrics" | wc -l) metrics"
  : >"$OUT/$set.csv"
  for part in "$work"/chunk.*; do
    left=$((budget - SECONDS))
    if ((left < 15)); then
      echo "code-counts: $set: no time for ${part##*.} and later"
      break
    fi
    began=$SECONDS
    count "$metrics" "$part" $((left + 30))
    if [[ ! -s $work/rows ]]; then
      echo "code-counts: $set ${part##*.}: status $code: $(said 3)"
    elif [[ -s $OUT/$set.csv ]]; then
      tail -n +2 "$work/rows" >>"$OUT/$set.csv"
    else
      cp "$work/rows" "$OUT/$set.csv"
    fi
    echo "code-counts: $set ${part##*.}: $(wc -l <"$work/order") launches in $((SECONDS - began)) s"
  done
done

# What is held goes to files of its own.
grep -v '^#' "$folder/launches_held.list" 2>/dev/null | cut -d' ' -f1 >"$work/held"
for name in hashes ${SETS:-core more}; do
  awk -F, -v file="$work/held" -v to="$OUT/held_$name.csv" 'BEGIN { while ((getline id < file) > 0) held[id] = 1; printf "" >to }
    NR == 1 { print >to } $1 in held { print >to; next } { print }' "$OUT/$name.csv" >"$work/kept"
  cp "$work/kept" "$OUT/$name.csv"
done
for set in ${SETS:-core more} held_core held_more; do
  [[ -f $OUT/$set.csv ]] || continue
  echo "code-counts: $set.csv: $(($(wc -l <"$OUT/$set.csv") - 1)) launches, $(head -n 1 "$OUT/$set.csv" | tr ',' '\n' | wc -l) columns"
done
head -n 8 "$work/bad" | sed 's/^/failed: /'
cut -d, -f1-9 "$OUT/core.csv" 2>/dev/null | head -n 4
echo "code-counts: $SECONDS s"
sleep 0.2
