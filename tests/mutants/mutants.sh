#!/usr/bin/env bash
# mutants.sh [OPTION…] [all | N | LIST | LIST:LINE]…: plants the bugs of tests/mutants/*.list, one at a time, in a copy of
# the tree, and wants the tests that each names to fail. A bug that they let pass is a gap in the tests; an entry whose text
# the tree no longer has is out of date. Either makes the exit status 1. README.md says how a list is written.
# SPDX-License-Identifier: MIT
#
#   all            every entry, which is also what is meant where nothing is said
#   N              N entries, drawn by the seed
#   LIST           the entries of tests/mutants/LIST.list; LIST:LINE the one that this line belongs to
#   --seed S       what to draw by; where not said the commit, so that each draws others, and the same ones again
#   --check BUILD  looks whether every text is in the tree once and every test is one of this build folder, and plants nothing
#   --tree DIR     the tree to plant in, where it is not this one
#   --scratch DIR  where the copy and its build are kept for the next time; build-mutants in the tree where not said
#   --patience S   seconds that tests get beyond eight times what they took with nothing planted; 30 where not said
set -uo pipefail
export LC_ALL=C
tree="" scratch="" seed="" check="" patience=30 wanted=()

die() {
  printf 'mutants: %s\n' "$*" >&2
  exit 2
}

while (($#)); do
  case $1 in
  --seed | --tree | --scratch | --check | --patience)
    (($# > 1)) || die "$1 needs a value"
    printf -v "${1#--}" '%s' "$2"
    shift
    ;;
  -*) die "unknown option $1: the head of tests/mutants/mutants.sh names them" ;;
  *) wanted+=("$1") ;;
  esac
  shift
done
tree=$(cd "${tree:-$(dirname "$0")/../..}" && pwd) || exit 2
scratch=${scratch:-$tree/build-mutants}
copy=$scratch/tree build=$scratch/tree/build # as anybody builds it, so that a compiler cache knows it

# An entry: LIST:LINE, the line of its end, the comment above it, its tests, its first change and how many it has.
names=() ends=() whys=() tests=() firsts=() counts=()
# A change: the file, the text that must be there once, what takes its place.
files=() olds=() news=()
chosen=() # entries, by number
declare -A verdicts=() test_targets=() targets=() test_limit=() unfit=()

# verdict KIND ENTRY-OR-NAME TEXT: a line of the report.
verdict() {
  printf '%-9s %s\n' "$1" "$2${3:+  $3}"
  verdicts[$1]=$((${verdicts[$1]:-0} + 1))
}

# ---- The lists

read_list() { # FILE
  local list=${1##*/} number=0 line text last=" " start=0 why="" file="" first=${#files[@]}
  list=${list%.list}
  while IFS= read -r line || [[ $line ]]; do
    number=$((number + 1))
    text=${line:1} # behind the sign and a blank; behind the sign alone nothing
    text=${text# }
    case ${line:0:1}$last in
    '#'?) # its lines become one
      why+=${line#\#}
      ((start == 0)) || verdict error "$list:$number" "a comment amid an entry: it stands above '@ FILE'"
      ;;
    @?)
      ((start)) || start=$number
      file=${line#@ }
      ;;
    --) olds[-1]+=$'\n'$text ;;
    -?)
      files+=("$file") olds+=("$text") news+=("")
      [[ $file ]] || verdict error "$list:$number" "'- TEXT' without '@ FILE' above it"
      ;;
    +-) news[-1]=$text ;;
    ++) news[-1]+=$'\n'$text ;;
    !+)
      names+=("$list:$start") ends+=("$number") whys+=("${why# }") tests+=("${line#! }")
      firsts+=("$first") counts+=($((${#files[@]} - first)))
      start=0 why="" file="" first=${#files[@]}
      ;;
    ?)  # an empty line
      ((start)) || why=""
      continue
      ;;
    *) verdict error "$list:$number" "not the line that is wanted here ('# ', '@ ', '- ', '+ ', '! ' in this order): '$line'" ;;
    esac
    last=${line:0:1}
  done <"$1"
  ((start == 0)) || verdict error "$list:$start" "the entry has no line '! TEST'"
}

# choose WORD: adds the entries that it means to $chosen.
choose() {
  local i before=${#chosen[@]}
  if [[ $1 =~ ^[0-9]+$ ]]; then
    (($1 > 0)) || die "0 entries to draw: at least 1 is wanted"
    mapfile -t -O "$before" chosen < <(
      for ((i = 0; i < ${#names[@]}; i++)); do # by what the entry says, wherever it stands
        printf '%s %s\n' "$(printf '%s\n' "$seed" "${olds[firsts[i]]}" "${news[firsts[i]]}" | cksum)" "$i"
      done | sort -n | head -n "$1" | sed 's/.* //'
    )
  else
    for ((i = 0; i < ${#names[@]}; i++)); do
      [[ $1 == all || $1 == "${names[i]%:*}" ]] && chosen+=("$i")
      [[ $1 == "${names[i]%:*}":* ]] && ((${1##*:} >= ${names[i]##*:} && ${1##*:} <= ends[i])) && chosen+=("$i")
    done
  fi
  ((${#chosen[@]} > before)) || die "no entry is called '$1': wanted a number, LIST or LIST:LINE of tests/mutants/LIST.list"
}

# ---- The tree that bugs are planted in

# Brings the copy up to the tree: only what differs is written, so that only that is built again.
copy_tree() {
  mkdir -p "$copy" || exit 2
  (cd "$tree" && { git ls-files -co --exclude-standard 2>/dev/null || find . -name 'build*' -prune -o -type f -print; }) |
    sed 's|^\./||' | sort -u >"$scratch/files"
  (cd "$copy" && find . -path ./build -prune -o -type f -print) | sed 's|^\./||' | sort >"$scratch/there"
  comm -13 "$scratch/files" "$scratch/there" | (cd "$copy" && xargs -r -d '\n' rm -f)
  (cd "$copy" && xargs -r -d '\n' cksum <"$scratch/there" 2>/dev/null) | sort >"$scratch/sums.there"
  (cd "$tree" && xargs -r -d '\n' cksum <"$scratch/files" 2>/dev/null) | sort | comm -23 - "$scratch/sums.there" |
    sed 's/^[0-9]* [0-9]* //' >"$scratch/differ"
  tar -C "$tree" -cf - -T "$scratch/differ" | tar -C "$copy" -xmf - # m: they are new, whatever their time in the tree
}

configure() {
  local options=(-S "$copy" -B "$build" -DCMAKE_BUILD_TYPE=Release -DGRADUS_CUBINS=) # machine code takes minutes
  command -v ninja >/dev/null && options+=(-G Ninja)
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1
  fi
  cmake "${options[@]}" >"$scratch/configure.log" 2>&1 || {
    tail -n 20 "$scratch/configure.log"
    die "the copy of the tree cannot be configured"
  }
}

# Reads what CTest knows: the tests and, of the programs that they run, those that the build makes.
read_tests() { # BUILD
  local test words word
  while IFS=$'\t' read -r test words; do
    test_targets[$test]=""
    for word in $words; do
      case $word in
      bin/*) word=${word#bin/} ;;
      libgradus.so*) word=gradus_shared ;;
      libgradus.a) word=gradus_static ;;
      lib*.so) word=${word#lib} word=${word%.so} ;;
      ./) word=product ;;
      esac
      [[ ! ${targets[$word]:-} ]] || test_targets[$test]+=" $word"
    done
  done < <(find "$1" -name CTestTestfile.cmake -exec awk -v build="$1/" '
    /^(add_test|set_tests_properties)\(/ {
      line = $0
      sub(/^[a-z_]*\((\[=*\[)?/, "", line)
      name = line
      sub(/(\]=*\])? .*/, "", name)
      sub(/ _BACKTRACE_TRIPLES .*/, "", line)
      found = ""
      while ((at = index(line, build)) || (at = index(line, substr(build, 1, length(build) - 1) "\""))) {
        line = substr(line, at + length(build))
        if (match(line, /^[A-Za-z0-9_.+\/-]+/)) found = found " " substr(line, 1, RLENGTH)
        else found = found " ./"
      }
      if (!(name in words)) order[++n] = name
      words[name] = words[name] found
    }
    END { for (i = 1; i <= n; i++) print order[i] "\t" words[order[i]] }' {} +)
}

read_targets() {
  local name
  while read -r name; do targets[$name]=yes; done < <(
    if [[ -f $build/build.ninja ]]; then
      ninja -C "$build" -t targets all | sed -n 's/^\([^ :/]*\): .*/\1/p'
    else
      cmake --build "$build" --target help | sed -n 's/^\.\.\. \([^ ]*\).*/\1/p'
    fi
  )
}

# build_for TEST…: builds the programs that they run, and gradus, which many run without naming it.
build_for() {
  local test words=()
  [[ ! ${targets[gradus]:-} ]] || words=(gradus)
  for test; do
    # shellcheck disable=SC2206 # several words
    words+=(${test_targets[$test]:-})
  done
  ((${#words[@]})) || return 0
  mapfile -t words < <(printf '%s\n' "${words[@]}" | sort -u)
  cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" --target "${words[@]}" >"$scratch/build.log" 2>&1
}

# run_tests SECONDS TEST…: CTest's report of them into $scratch/ctest.out.
run_tests() {
  local limit=$1 pattern
  shift
  # shellcheck disable=SC2016 # a pattern
  pattern=$(printf '%s\n' "$@" | sed 's/[][+.*?^$(){}|\\]/\\&/g' | paste -sd '|')
  rm -rf "$scratch/cache"
  mkdir "$scratch/cache"
  XDG_CACHE_HOME=$scratch/cache timeout --kill-after=5 "$limit" \
    ctest --test-dir "$build" --output-on-failure -R "^($pattern)\$" "${parallel[@]}" </dev/null >"$scratch/ctest.out" 2>&1 9>&- # what a planted bug leaves behind holds no lock
}
parallel=()

# outcome TEST: sets $outcome to what the report says of it: passed, failed, skipped, or unknown where it says nothing.
outcome() {
  local line
  line=$(grep -F " $1 ." "$scratch/ctest.out" | grep -E '^ *[0-9]+/[0-9]+ Test +#' | tail -n 1)
  outcome_s=$(sed -n 's/.* \([0-9]*\)\.[0-9]* sec.*/\1/p' <<<"$line")
  case $line in
  *'***Skipped'* | *Disabled*) outcome=skipped ;;
  *' Passed '*) outcome=passed ;;
  *'***'*) outcome=failed ;;
  *) outcome=unknown ;;
  esac
}

# ---- Bugs

# whether_once FILE TEXT: sets $trouble to what keeps TEXT from being in FILE exactly once, or to nothing.
whether_once() {
  trouble=""
  [[ -f $1 ]] || { trouble="there is no such file"; return; }
  trouble=$(TEXT=$2 awk '
    { all = all $0 "\n" }
    END {
      text = ENVIRON["TEXT"]
      for (rest = all; at = index(rest, text); rest = substr(rest, at + 1)) n++
      if (n != 1) print n ? "the text is there " n " times" : "the text is no longer there"
    }' "$1")
}

replace() { # FILE TEXT BY
  TEXT=$2 BY=$3 awk '
    { all = all $0 "\n" }
    END {
      at = index(all, ENVIRON["TEXT"])
      ORS = ""
      print substr(all, 1, at - 1)
      print ENVIRON["BY"]
      print substr(all, at + length(ENVIRON["TEXT"]))
    }' "$1" >"$scratch/changed" && cp "$scratch/changed" "$1"
}

# plant ENTRY ROOT: makes its changes; with no file changed, sets $trouble where one cannot be made.
plant() {
  local change
  for ((change = firsts[$1]; change < firsts[$1] + counts[$1]; change++)); do
    whether_once "$2/${files[change]}" "${olds[change]}"
    [[ $trouble ]] && { trouble="${files[change]}: $trouble: ${olds[change]}"; return 1; }
    [[ ${olds[change]} != "${news[change]}" ]] || { trouble="nothing is changed"; return 1; }
  done
  [[ $check ]] && return 0
  rm -f "$scratch"/original.*
  for ((change = firsts[$1]; change < firsts[$1] + counts[$1]; change++)); do
    cp "$2/${files[change]}" "$scratch/original.$change"
    replace "$2/${files[change]}" "${olds[change]}" "${news[change]}"
  done
}

take_back() { # ENTRY
  local change
  for ((change = firsts[$1] + counts[$1] - 1; change >= firsts[$1]; change--)); do
    cp "$scratch/original.$change" "$copy/${files[change]}"
  done
}

# unknown_test ENTRY: sets $trouble where one of its tests is none.
unknown_test() {
  local test
  trouble=""
  for test in ${tests[$1]}; do
    [[ ${test_targets[$test]+known} ]] || trouble="there is no test $test"
  done
  [[ $trouble ]]
}

# What the tests say of the planted bug; one line.
judge() { # ENTRY
  local test built limit=0 where=${names[$1]} began=$SECONDS notes=""
  # shellcheck disable=SC2086 # several words
  build_for ${tests[$1]} || {
    verdict error "$where" "does not build: $(grep -m 1 -E 'error:|undefined reference' "$scratch/build.log")"
    return
  }
  built=$((SECONDS - began))
  for test in ${tests[$1]}; do limit=$((limit + test_limit[$test])); done
  # shellcheck disable=SC2086 # several words
  run_tests "$limit" ${tests[$1]}
  for test in ${tests[$1]}; do
    outcome "$test"
    case $outcome in
    failed) ;;
    unknown) notes=" (no end within $limit s)" ;; # the time was over
    *)
      verdict SURVIVED "$where" "$test $outcome, though ${files[firsts[$1]]} is wrong:${whys[$1]:+ ${whys[$1]}}"
      return
      ;;
    esac
  done
  verdict noticed "$where" "${files[firsts[$1]]}: ${tests[$1]}$notes, built in $built s, run in $((SECONDS - began - built)) s"
}

# The tests that are named must pass as long as nothing is planted; how long they take sets the time that they get.
try_unchanged() {
  local test all=()
  # shellcheck disable=SC2086 # several words
  mapfile -t all < <(for i in "${chosen[@]}"; do printf '%s\n' ${tests[i]}; done | sort -u)
  printf 'mutants: building everything: %d tests, and what their commands do not name\n' ${#all[@]}
  cmake --build "$build" --parallel "$(nproc 2>/dev/null || echo 2)" >"$scratch/build.log" 2>&1 || {
    tail -n 20 "$scratch/build.log"
    die "the tree does not build as it is"
  }
  parallel=(--parallel "$(nproc 2>/dev/null || echo 2)")
  run_tests 3600 "${all[@]}"
  parallel=()
  for test in "${all[@]}"; do
    outcome "$test"
    test_limit[$test]=$((patience + 8 * ${outcome_s:-0}))
    case $outcome in
    passed) ;;
    skipped) unfit[$test]="skipped here: $(grep -m 1 '^skip: ' <(ctest_words "$test") | cut -c 7-)" ;;
    unknown) ;; # no such test, which is said of each entry that names it
    *) unfit[$test]="fails before anything is planted" ;;
    esac
  done
}
ctest_words() { # TEST: what it printed
  awk -v test="$1" '/^[0-9]+\/[0-9]+ Test: / { of = $3 } of == test' "$build/Testing/Temporary/LastTest.log"
}

one_mutant() { # ENTRY
  local test
  unknown_test "$1" && { verdict error "${names[$1]}" "$trouble"; return; }
  for test in ${tests[$1]}; do
    case ${unfit[$test]:-} in
    '') ;;
    skipped*)
      verdict skipped "${names[$1]}" "$test is ${unfit[$test]}"
      return
      ;;
    *)
      verdict error "${names[$1]}" "$test ${unfit[$test]}"
      return
      ;;
    esac
  done
  plant "$1" "$copy" || { verdict error "${names[$1]}" "out of date: $trouble"; return; }
  judge "$1"
  take_back "$1"
}

for list in "$tree"/tests/mutants/*.list; do
  [[ -f $list ]] || die "no list $list"
  read_list "$list"
done
((${#names[@]})) || die "the lists have no entry"
seed=${seed:-$(git -C "$tree" rev-parse --short=12 HEAD 2>/dev/null || echo 1)}
((${#wanted[@]})) || wanted=(all)
for word in "${wanted[@]}"; do choose "$word"; done

started=$SECONDS
if [[ $check ]]; then
  read_tests "$(cd "$check" && pwd)"
  for i in "${chosen[@]}"; do
    plant "$i" "$tree" || verdict error "${names[i]}" "out of date: $trouble"
    unknown_test "$i" && verdict error "${names[i]}" "$trouble"
  done
  echo "${#chosen[@]} entries, ${verdicts[error]:-0} in error"
  ((${verdicts[error]:-0} == 0))
  exit
fi

mkdir -p "$scratch" || exit 2
exec 9>"$scratch/lock"
! command -v flock >/dev/null || flock -n 9 || die "another run is at work in $scratch: wait for it, or give --scratch DIR"
printf 'mutants: %d of %d, seed %s; the same again: make mutants MUTANTS="%s" MUTANTS_SEED=%s\n' \
  ${#chosen[@]} ${#names[@]} "$seed" "${wanted[*]}" "$seed"
copy_tree
configure
read_targets
read_tests "$build"
try_unchanged
for i in "${chosen[@]}"; do one_mutant "$i"; done
echo "${verdicts[noticed]:-0} noticed, ${verdicts[SURVIVED]:-0} survived, ${verdicts[error]:-0} in error," \
  "${verdicts[skipped]:-0} skipped; $((SECONDS - started)) s"
((${verdicts[SURVIVED]:-0} + ${verdicts[error]:-0} == 0 && ${verdicts[noticed]:-0} + ${verdicts[skipped]:-0} > 0))
