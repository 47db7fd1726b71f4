#!/usr/bin/env bash
# progress.sh: how far a script has come, to be sourced. On a terminal one line on standard error that leaves nothing behind;
# elsewhere a line every half a minute. SPDX-License-Identifier: MIT
progress_live=""
[[ -t 2 && ${TERM:-dumb} != dumb ]] && progress_live=yes
progress_every_ms=${PROGRESS_EVERY_MS:-30000}
progress_drawn=""

progress_printed_ms=$((${EPOCHREALTIME/[.,]/} / 1000))
progress_asked_ms=0 # for the width
columns=80

now_ms() { now=$((${EPOCHREALTIME/[.,]/} / 1000)); } # sets $now

# progress_time MS: sets $text to "1:20" or "2:05:00".
progress_time() {
  local s=$((($1 + 500) / 1000))
  if ((s >= 3600)); then
    printf -v text '%d:%02d:%02d' $((s / 3600)) $((s / 60 % 60)) $((s % 60))
  else
    printf -v text '%d:%02d' $((s / 60)) $((s % 60))
  fi
}

# Sets $columns; a terminal may be made wider or narrower.
progress_columns() {
  ((now - progress_asked_ms < 5000)) && return 0
  progress_asked_ms=$now
  columns=${COLUMNS:-}
  [[ $columns =~ ^[1-9][0-9]*$ ]] || columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
  [[ $columns =~ ^[1-9][0-9]+$ ]] || columns=80
  return 0
}

progress_clear() {
  [[ $progress_drawn ]] && printf '\r\033[K' >&2
  progress_drawn=""
}

# progress_say TEXT: what there is to tell now.
progress_say() {
  local now
  now_ms
  if [[ $progress_live ]]; then
    progress_columns
    printf '\r\033[K%s' "${1:0:columns-1}" >&2
    progress_drawn=yes
    return
  fi
  ((now - progress_printed_ms >= progress_every_ms)) || return 0
  progress_printed_ms=$now
  printf 'check: %s\n' "$1" >&2
}

# progress_during WHAT LOG COMMAND…: runs the command with all its output to LOG, and tells of its last line's percentage.
# The command is in front, so that Ctrl-C reaches it.
progress_during() {
  local what=$1 log=$2 code=0 teller
  shift 2
  : >"$log"
  progress_of_log "$what" "$log" $$ &
  teller=$!
  "$@" >"$log" 2>&1 || code=$?
  kill "$teller" 2>/dev/null
  wait "$teller" 2>/dev/null
  [[ $progress_live ]] && printf '\r\033[K' >&2
  return $code
}

progress_of_log() { # WHAT LOG PID: until the process ends, if nobody ends it before
  local now start text percent
  now_ms
  start=$now
  trap - EXIT INT TERM # those of the script are the script's
  while kill -0 "$3" 2>/dev/null; do
    percent=$(tail -c 4000 "$2" 2>/dev/null | grep -oE '^\[ *[0-9]+(%|/[0-9]+)\]' | tail -n 1 | tr -d '[] ')
    now_ms
    progress_time $((now - start))
    progress_say "$1 · ${percent:+$percent · }$text so far"
    sleep 1
  done
}

# What ctest says of one finished test: sets $name, $verdict (passed, skipped, failed), $done and $count; fails for any other
# line.
progress_test() {
  [[ $1 =~ ^\ *([0-9]+)/([0-9]+)\ Test\ +#[0-9]+:\ ([^ ]+) ]] || return 1
  done=${BASH_REMATCH[1]} count=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]} verdict=failed
  [[ $1 == *' Passed '* ]] && verdict=passed
  [[ $1 == *'***Skipped'* || $1 == *Disabled* ]] && verdict=skipped
  return 0
}

# progress_left: sets $left_ms from what is known of the tests, or to -1. Tests that ran before cost what they cost then,
# times what this run has shown to be different; where a tenth of them never ran nothing is told.
progress_left() {
  local id left=0 longest=0 unknown=0 rest spent=$1
  left_ms=-1
  for id in "${!waiting[@]}"; do
    rest=${cost[$id]:-}
    [[ $rest ]] || { ((++unknown)); continue; }
    [[ ${began[$id]:-} ]] && rest=$((rest - (now - began[$id]) > 0 ? rest - (now - began[$id]) : 0))
    left=$((left + rest))
    ((rest > longest)) && longest=$rest
  done
  ((unknown * 10 <= ${#waiting[@]})) || return 0
  ((unknown && ${#waiting[@]} > unknown)) && left=$((left + left * unknown / (${#waiting[@]} - unknown)))
  # At first as much at a time as ctest is told to, then as it turns out.
  if ((cost_done > 20000 && spent > 20000)); then
    left_ms=$((left * (spent / 100) / (cost_done / 100)))
  else
    left_ms=$((left / ${at_once:-2}))
  fi
  ((longest > left_ms)) && left_ms=$longest
  return 0
}

# progress_of_tests WHAT COSTS NAMES: passes ctest's output on, without the lines that tests are started and, where people
# see the progress line, without those that one has passed. COSTS: ctest's CTestCostData.txt of former runs; NAMES: the
# tests that it will run.
progress_of_tests() {
  local what=$1 line="" part status name verdict done=0 count left_ms text failed=0 current="" runs seconds start spent now rest room
  local cost_done=0 quiet="" said
  declare -A cost=() waiting=() began=()
  [[ $progress_live && -t 1 ]] && quiet=yes
  now_ms
  start=$now
  while read -r name; do waiting[$name]=1; done <"$3"
  count=${#waiting[@]}
  while read -r name runs seconds; do
    [[ $name == --- ]] && break
    [[ $runs =~ ^[1-9] && $seconds =~ ^[0-9.]+$ ]] && printf -v "cost[$name]" '%.0f' "${seconds}e3"
  done < <(cat "$2" 2>/dev/null)
  while :; do
    IFS= read -r -t 1 part
    status=$?
    line+=$part
    now_ms
    if ((status > 128)); then
      part="" # nothing new in a second
    elif ((status)) && [[ -z $line ]]; then
      break
    else
      if [[ $line =~ ^\ *Start\ +[0-9]+:\ ([^ ]+) ]]; then
        current=${BASH_REMATCH[1]}
        began[$current]=$now
      elif progress_test "$line"; then
        [[ $verdict == failed ]] && ((++failed))
        cost_done=$((cost_done + ${cost[$name]:-0}))
        unset "waiting[$name]" "began[$name]"
        [[ $quiet && $verdict == passed ]] || { progress_clear; printf '%s\n' "$line"; }
        [[ $current == "$name" && ${#began[@]} -gt 0 ]] && for current in "${!began[@]}"; do break; done
      else
        progress_clear
        printf '%s\n' "$line"
        line=""
        continue
      fi
      line=""
    fi
    spent=$((now - start))
    progress_left "$spent"
    if ((left_ms >= 0)); then
      progress_time "$left_ms" && said="$text left"
    else
      progress_time "$spent" && said="$text so far"
    fi
    ((done < count)) || continue
    rest=" · $failed failed · $said" name=${current:-starting} part="$what [$((done + 1))/$count] "
    [[ $progress_live ]] && progress_columns && ((room = columns - 1 - ${#part} - ${#rest}, room > 0)) && name=${name:0:room}
    progress_say "$part$name$rest"
  done
  progress_clear
}
