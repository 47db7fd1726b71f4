#!/usr/bin/env bash
# step_signals.sh: signals of every kind at random moments over all verbs: each dies of the signal, or goes on as if nothing
# had come, and leaves no process, no file that is half of one. SPDX-License-Identifier: MIT
# share: 8
# shellcheck source=tests/hostile/watch.sh
. "$HOSTILE_HERE/watch.sh"

# What each verb is sent signals at; those that take long are there more often.
commands=(
  "ladder --size 700 --peer none --time-limit 3 --format json --report report"
  "ladder --size 64 --verify-only --peer none --format csv"
  "run mine.c --size 400 --peer none --time-limit 3"
  "run mine.c --size 64,96,128 --peer none --format json --report report"
  "run mine.cu --device sim --size 128"
  "run mine.cu --device sim --size 512 --verify-only"
  "bench mine.c --sizes 64:256:x2 --peer none --format csv"
  "bench --size 300 --peer none --time-limit 2 --format json"
  "explain mine.cu 512"
  "explain mine.cu 3000 --shapes no --report report"
  "gemm tall.npy tall.npy --trans-b -o C.npy"
  "gemm tall.npy tall.npy --trans-b --verify -o C.npy"
  "devices"
  "exec sleep 2"
  "tune mine.cu --device sim --size 128"
  "tune 5 --size 96 --time-limit 3 -o tuned.txt"
  "plan 100000 --ranks 1024 --memory 80G"
  "export 6 -o exported.cu"
  "init plain.cu"
  "history"
  "list"
  "show 6 --source"
  "completion bash"
  "help run"
  "version"
  "man"
)
signals=(HUP INT QUIT TERM PIPE KILL USR1 USR2 XCPU XFSZ ALRM CONT WINCH URG)
for verb in $("$gradus" help | sed -n '/^Verify/,$s/^  \([a-z]*\)  .*/\1/p'); do
  printf '%s\n' "${commands[@]}" | grep "^$verb\( \|\$\)" >/dev/null || fail "no command here has the verb $verb: add one to step_signals.sh"
done

# A report's index.html is written after the files that it shows; each file is whole, or not there.
report_files_are_whole() { # COMMAND
  local file
  [[ -e report ]] || return 0
  while IFS= read -r file; do
    case $file in
    *.html) tail -c 100 "$file" | grep -q '</html>' ;;
    *.svg) tail -c 100 "$file" | grep -q '</svg>' ;;
    *.json) [[ $(tail -n 1 "$file") == *'}' ]] ;;
    *) [[ -s $file ]] ;;
    esac || fail "$file is half a file: $1"
  done < <(find report -type f ! -name '*.tmp.*')
}

# Whole or not at all.
outputs_are_whole() { # COMMAND
  [[ ! -e C.npy ]] || cmp -s C.npy old || cmp -s C.npy "$HOSTILE_FOLDER/right.npy" || fail "C.npy is neither the old nor the new one: $1"
  report_files_are_whole "$1"
  [[ ! -s exported.cu ]] || cmp -s exported.cu "$HOSTILE_FOLDER/exported.cu" || fail "half a file is exported: $1"
  case $1 in
  *"--format json"*)
    [[ ! -s $place/out ]] || [[ $(head -c 1 "$place/out") == '{' && $(tail -n 1 "$place/out") == '}' ]] || fail "half a document: $1"
    ;;
  esac
}

# While a compiler is at work there are temporary files, and a process that is to end with us.
while_compiling() { # SIGNAL
  local pid tenths
  fresh
  write_kernels
  printf '#!/bin/sh\n[ "$1" != --version ] || exec g++ --version\n: >"$HOSTILE_PLACE/compiling"\nexec sleep 60\n' >"$place/slow"
  chmod +x "$place/slow"
  HOME=$place/home XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/home/data TMPDIR=$place/tmp HOSTILE_PLACE=$place LC_ALL=C.UTF-8 TERM=dumb \
    CXX=$place/slow "$gradus" run mine.cu --device sim --size 32 --verify-only >"$place/out" 2>"$place/err" </dev/null &
  pid=$!
  for ((tenths = 0; tenths < 200; tenths++)); do
    [[ ! -e $place/compiling ]] || break
    sleep 0.1
  done
  kill -"$1" "$pid"
  { wait "$pid"; } 2>/dev/null
  status=$?
  holds $((128 + $(kill -l "$1"))) "signal $1 while a compiler is at work"
}
if command -v g++ >/dev/null; then
  # What a shell starts in the background ignores INT and QUIT.
  for signal in HUP TERM PIPE USR1 USR2 XCPU ALRM; do while_compiling "$signal"; done
else
  echo "skip: no g++, so that no signal comes while a compiler is at work"
fi

fresh
npy tall.npy 1500 1200
"$gradus" gemm tall.npy tall.npy --trans-b -o "$HOSTILE_FOLDER/right.npy" || fail "gemm without a signal"
"$gradus" export 6 -o "$HOSTILE_FOLDER/exported.cu" >/dev/null || fail "export without a signal"
count=$(of 300 10) sent=0
for ((i = 0; i < count; i++)); do
  draw ${#commands[@]} && command=${commands[drawn]}
  draw ${#signals[@]} && signal=${signals[drawn]}
  draw $((i % 3 ? 1200 : 150)) && delay=$((drawn / 1000)).$(printf %03d $((drawn % 1000)))
  time_left || break
  sent=$((sent + 1))
  fresh
  write_kernels
  npy tall.npy 1500 1200
  echo old >old && cp old C.npy
  number=$(kill -l "$signal")
  keeps_temporary=
  [[ $signal != KILL ]] || keeps_temporary=yes
  {
    # shellcheck disable=SC2086 # several words
    HOME=$place/home XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/home/data TMPDIR=$place/tmp HOSTILE_PLACE=$place LC_ALL=C.UTF-8 TERM=dumb \
      timeout --foreground --preserve-status -k 120 -s "$signal" "$delay" "$gradus" $command \
      >"$place/out" 2>"$place/err" </dev/null
    status=$?
  } 2>/dev/null
  # Before the signal came it may have ended; and after one that asks for nothing it goes on to its end.
  holds "0 3 $((128 + number))" "signal $signal after $delay s: gradus $command"
  outputs_are_whole "signal $signal after $delay s: gradus $command"
done
echo "signals: $sent of $count"
ends
