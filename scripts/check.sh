#!/usr/bin/env bash
# check.sh [--rest] [FLAVOUR…]: builds each flavour (release asan tsan fuzz), runs its tests, lists what was skipped and
# why, and closes with one line: "N passed, N failed, N skipped". SPDX-License-Identifier: MIT
#
# The flavour mutants, where it is named, plants ten bugs of tests/mutants/*.list, drawn by the commit; each counts as a test.
#
# --rest, once more is installed: runs only what the last check left out (skipped, wholly or in part, or never reached),
# and the lists and the last line are of both. What has failed stays failed.
#
# With CHECK_UNTIL, a second of the epoch, set: a flavour that would not end by then is left out, and counts as skipped. How
# long it takes follows from what release took, which is never left out, on the same machine.
#
# A test that prints "skip: reason" at the start of a line counts as skipped once for each such line, whether it left out
# everything (exit status 77) or only that part. A flavour that does not build is a failure; one whose compiler or
# runtime is missing is a skip. With CI set, warnings are errors.
set -uo pipefail
unset MAKEFLAGS MFLAGS MAKELEVEL # a caller's jobserver is not the tests'
rest=0
if [[ ${1:-} == --rest ]]; then
  rest=1
  shift
fi
flavours=("$@")
(($#)) || flavours=(release asan tsan fuzz)
mkdir -p build
tally=build/check.tally # verdict TAB flavour TAB test, or nothing for the flavour itself, TAB reason
((rest)) || : >"$tally"
touch "$tally"
probe=$(mktemp -d "${TMPDIR:-/tmp}/gradus-probe.XXXXXX")
trap 'rm -rf "$probe"' EXIT
trap 'exit 130' INT TERM
# NVIDIA's run-time compiler, where scripts/setup.sh ci has fetched it.
fetched=$(compgen -G "$PWD/build-cuda/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.*" | head -n 1)
[[ -z $fetched ]] || export GRADUS_NVRTC=${GRADUS_NVRTC:-$fetched}
options=()
[[ ${CI:-} ]] && options+=(-DGRADUS_WERROR=ON)

# Some tests build the sources once more, most of them as this does: what was compiled once is taken from a cache of this
# folder's own. With CI set, release compiles all of it with warnings as errors first, which makes the same code: a cache
# that begins empty there need not tell these apart. The sanitizers' builds have no other like them.
if command -v ccache >/dev/null 2>&1; then
  export CCACHE_DIR=$PWD/build/ccache${CI:+-strict} CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=2G
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  if [[ ${CI:-} ]]; then
    export CCACHE_IGNOREOPTIONS=-Werror
    ((rest)) || rm -rf "$CCACHE_DIR"
  fi
fi

# shellcheck source=scripts/progress.sh
. scripts/progress.sh

say() { printf 'check: %s\n' "$*"; }
note() { printf '%s\t%s\t\t%s\n' "$1" "$2" "${3:-}" >>"$tally"; }

# can CC FLAGS…: whether a program with these flags links and runs. GCC 12's thread sanitizer stops on kernels that
# randomise addresses by more bits than it knows; $run then holds the command that switches this off.
can() {
  local cc=$1
  shift
  command -v "$cc" >/dev/null 2>&1 || return 1
  echo 'int main(void) { return 0; }' >"$probe/main.c"
  "$cc" "$@" -o "$probe/main" "$probe/main.c" >/dev/null 2>&1 || return 1
  run=()
  "$probe/main" >/dev/null 2>&1 && return
  run=(setarch "$(uname -m)" -R)
  "${run[@]}" "$probe/main" >/dev/null 2>&1
}

# find_wanting FLAVOUR: sets $why to what it lacks here, or to nothing.
find_wanting() {
  why=""
  case $1 in
  asan) can cc -fsanitize=address,undefined || why="the compiler has no address sanitizer that runs here" ;;
  tsan) can cc -fsanitize=thread || why="the compiler has no thread sanitizer that runs here" ;;
  fuzz)
    compgen -G 'tests/fuzz/fuzz_*.c' >/dev/null || { why="no fuzz target"; return; }
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n > 0; }' >"$probe/fuzz.c"
    clang -fsanitize=fuzzer,address -o "$probe/fuzz" "$probe/fuzz.c" >/dev/null 2>&1 ||
      why="clang or its fuzzing runtime is missing (to get them: make fuzz)"
    ;;
  esac
}

# Reads ctest's own two accounts: the verdicts from its output, the reasons from its log.
tally_tests() { # FLAVOUR OUTPUT LOG
  awk -v flavour="$1" '
    FNR == NR && /^[0-9]+\/[0-9]+ Test: / { name = $3; next }
    FNR == NR && /^skip: / { skips[name] = skips[name] substr($0, 7) "\n"; next }
    FNR == NR { next }
    /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
      sub(/^.*Test +#[0-9]+: /, ""); name = $1
      verdict = /\*\*\*Skipped|Disabled/ ? "skipped" : / Passed / ? "passed" : "failed"
      label = flavour "\t" name
      if (verdict != "skipped") print verdict "\t" label "\t"
      else if (!(name in skips)) print "skipped\t" label "\tno reason given"
      n = split(skips[name], reasons, "\n")
      for (i = 1; i < n; i++) print "skipped\t" label "\t" reasons[i]
    }' "$3" "$2" >>"$tally"
}

# Of the tests named in a file, those that the tally does not have as passed whole or failed.
left_out() { # FLAVOUR FILE
  awk -F'\t' -v flavour="$1" '
    FILENAME == ARGV[1] { if ($2 == flavour) seen[$3] = seen[$3] " " $1; next }
    !($0 in seen) || seen[$0] ~ /skipped/ && seen[$0] !~ /failed/' "$tally" "$2"
}

# Takes out of the tally what it has of the flavour as such and of the tests in a file.
forget() { # FLAVOUR FILE
  awk -F'\t' -v flavour="$1" 'FILENAME == ARGV[1] { gone[$0] = 1; next }
    !($2 == flavour && ($3 == "" || $3 in gone))' "$2" "$tally" >"$probe/tally"
  cp "$probe/tally" "$tally"
}

# select_rest FLAVOUR FOLDER: adds to $select what leaves the tests to be run; fails where there is none.
select_rest() {
  ctest --test-dir "$2" -N "${select[@]}" 2>&1 | sed -n 's/^ *Test *#[0-9]*: //p' >"$probe/all"
  left_out "$1" "$probe/all" >"$probe/names"
  [[ -s $probe/names ]] || return 1
  forget "$1" "$probe/names"
  # shellcheck disable=SC2016 # a pattern
  cmp -s "$probe/all" "$probe/names" ||
    select+=(-R "^($(sed 's/[][+.*?^$(){}|\\]/\\&/g' "$probe/names" | paste -sd '|'))\$")
  return 0
}

# time_is_left PERCENT: whether so much of what release took is left until CHECK_UNTIL.
time_is_left() {
  local took
  [[ ${CHECK_UNTIL:-} ]] && took=$(cat build/check.release_seconds 2>/dev/null) || return 0
  (($(date +%s) + took * $1 / 100 <= CHECK_UNTIL))
}

readonly no_time="there was no time for it before CHECK_UNTIL"

# share_of FLAVOUR: what it takes, in percent of what release takes, building included; with --rest, if it was there before.
share_of() {
  local again=$rest
  ! grep -q $'^skipped\t'"$1"$'\t\t'"$no_time" "$tally" || again=0
  case $1$again in
  release1) echo 25 ;;
  asan0) echo 35 ;;
  tsan0) echo 30 ;;
  fuzz0) echo 15 ;;
  mutants*) echo 25 ;;
  *1) echo 10 ;;
  *) echo 0 ;;
  esac
}

check_mutants() {
  forget mutants /dev/null
  say "mutants: planting ten bugs"
  tests/mutants/mutants.sh 10 </dev/null 2>&1 | tee "$probe/mutants.out"
  awk '/^(noticed|SURVIVED|error|skipped) / {
    verdict = $1 == "noticed" ? "passed" : $1 == "skipped" ? "skipped" : "failed"
    name = $2
    sub(/^[^ ]+ +[^ ]+ +/, "")
    print verdict "\tmutants\t" name "\t" (verdict == "passed" ? "" : $0)
  }' "$probe/mutants.out" >>"$tally"
  grep -q '^[0-9]* noticed, ' "$probe/mutants.out" || note failed mutants:run "no bug could be planted"
}

check_flavour() { # FLAVOUR
  local flavour=$1 folder=build-$1 select=() run=() why
  [[ $flavour == release ]] && folder=build
  [[ $flavour == release ]] || local -x CCACHE_DISABLE=1
  forget "$flavour" /dev/null
  find_wanting "$flavour"
  if [[ $why ]]; then
    say "$flavour: skipped: $why"
    note skipped "$flavour" "$why"
    return
  fi
  say "$flavour: building"
  if ! progress_during "$flavour: building" "$probe/build.log" scripts/build.sh "$flavour" "${options[@]}"; then
    cat "$probe/build.log"
    note failed "$flavour:build" "the build failed"
    return
  fi
  [[ $flavour != fuzz ]] || select=(-L fuzz)
  if ((rest)) && ! select_rest "$flavour" "$folder"; then
    say "$flavour: nothing was left out"
    return
  fi
  say "$flavour: testing"
  ctest --test-dir "$folder" -N "${select[@]}" 2>&1 | sed -n 's/^ *Test *#[0-9]*: //p' >"$probe/tests"
  cp "$folder/Testing/Temporary/CTestCostData.txt" "$probe/costs" 2>/dev/null || : >"$probe/costs"
  "${run[@]}" ctest --test-dir "$folder" --output-on-failure --parallel "$at_once" "${select[@]}" </dev/null 2>&1 |
    tee "$probe/ctest.out" | progress_of_tests "$flavour:" "$probe/costs" "$probe/tests"
  tally_tests "$flavour" "$probe/ctest.out" "$folder/Testing/Temporary/LastTest.log"
  grep -q "^[0-9]*% tests passed" "$probe/ctest.out" || note failed "$flavour:ctest" "ctest ran no test"
}

count() { awk -F'\t' -v verdict="$1" '$1 == verdict { n++ } END { print n + 0 }' "$tally"; }

# shellcheck disable=SC2034 # progress.sh reads it
at_once=3 # tests, on two processors: one of three waits for a limit of time, a signal or a browser
started=$SECONDS
((rest)) || rm -f build/check.release_seconds
for flavour in "${flavours[@]}"; do
  begun=$SECONDS
  if ! time_is_left "$(share_of "$flavour")"; then
    say "$flavour: left out: there is no time for it"
    ((rest)) || note skipped "$flavour" "$no_time"
  elif [[ $flavour == mutants ]]; then
    check_mutants
  else
    check_flavour "$flavour"
  fi
  [[ $flavour$rest != release0 ]] || echo $((SECONDS - begun)) >build/check.release_seconds
done
say "$((SECONDS - started)) s"
awk -F'\t' '{ label = $3 == "" ? $2 : $2 == "release" ? $3 : $2 ":" $3 }
            $1 == "skipped" { print "skipped: " label ": " $4 }
            $1 == "failed" { print "FAILED: " label ($4 ? ": " $4 : "") }' "$tally" | sort -u
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
(($(count failed) == 0 && $(count passed) > 0))
