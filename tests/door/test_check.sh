#!/bin/sh
# test_check.sh ROOT: scripts/check.sh counts what passes, fails and is skipped, and its exit status says so; tried on a
# project of its own with a test of each kind. SPDX-License-Identifier: MIT
set -u
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-door.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
cp -r "$root/scripts" "$work/" && cd "$work" || exit 2

# project LINE…: a CMake project with these lines after its head.
project() {
  rm -rf build
  {
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(planted NONE)\nenable_testing()\n'
    printf '%s\n' "$@"
    # shellcheck disable=SC2016 # CMake's variable
    printf '%s\n' 'get_property(all DIRECTORY PROPERTY TESTS)' \
      'set_tests_properties(${all} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1)'
  } >CMakeLists.txt
}
# closes STATUS LINE [--rest]: check.sh must end with that exit status and exactly that last line.
closes() {
  scripts/check.sh ${3:+"$3"} release >out 2>&1 </dev/null
  code=$?
  [ $code -eq "$1" ] && [ "$(tail -n 1 out)" = "$2" ] && return
  echo "wanted exit status $1 and the last line '$2', found $code and:"
  cat out
  failed=1
}
says() { grep -qx "$1" out || { echo "check.sh does not say '$1'"; cat out; failed=1; }; }

project 'add_test(NAME good COMMAND sh -c "exit 0")'
closes 0 "1 passed, 0 failed, 0 skipped"

project 'add_test(NAME good COMMAND sh -c "exit 0")' \
  'add_test(NAME partly COMMAND sh -c "echo skip: no moon; echo; echo skip: no sun")' \
  'add_test(NAME unable COMMAND sh -c "echo skip: no gpu; exit 77")' \
  'add_test(NAME mute COMMAND sh -c "exit 77")'
closes 0 "2 passed, 0 failed, 4 skipped"
says "skipped: partly: no moon"
says "skipped: partly: no sun"
says "skipped: unable: no gpu"
says "skipped: mute: no reason given"

project 'add_test(NAME good COMMAND sh -c "exit 0")' \
  'add_test(NAME bad COMMAND sh -c "echo the words of the failure; exit 1")' \
  'add_test(NAME killed COMMAND sh -c "kill -9 $$")' \
  'add_test(NAME slow COMMAND sh -c "exec sleep 20")' \
  'add_test(NAME absent COMMAND no-such-program)'
closes 1 "1 passed, 4 failed, 0 skipped"
says "the words of the failure"
says "FAILED: killed"

# Once the moon is up: --rest runs what was skipped, wholly or in part, and what was not there before. What passed and
# what failed is counted as it was, and not run again.
# shellcheck disable=SC2016 # CMake's variables
project 'foreach(name good bad half "odd+.name" dark late torn)' \
  'if(NOT name STREQUAL "late" OR EXISTS "${CMAKE_SOURCE_DIR}/moon")' \
  'add_test(NAME "${name}" COMMAND sh "${CMAKE_SOURCE_DIR}/planted.sh" "${name}")' 'endif()' 'endforeach()'
cat >planted.sh <<'END'
echo "$1" >>"$(dirname "$0")/run"
case $1 in
good | late) exit 0 ;;
bad) exit 1 ;;
torn) echo skip: no sun; exit 1 ;; # has failed, and does not get another chance
dark) echo skip: never; exit 77 ;;
esac
[ -e "$(dirname "$0")/moon" ] && exit 0
echo skip: no moon
[ "$1" = half ] || exit 77
END
rm -f moon run
closes 1 "2 passed, 2 failed, 4 skipped"
: >run
closes 1 "2 passed, 2 failed, 4 skipped" --rest
sort run | tr '\n' ' ' >met
[ "$(cat met)" = "dark half odd+.name " ] || { echo "without the moon --rest ran: $(cat met)"; failed=1; }
: >moon
: >run
closes 1 "4 passed, 2 failed, 2 skipped" --rest
says "FAILED: bad"
says "FAILED: torn"
says "skipped: dark: never"
sort run | tr '\n' ' ' >met
[ "$(cat met)" = "dark half late odd+.name " ] || { echo "with the moon --rest ran: $(cat met)"; failed=1; }

# What a change must pass: first with what `make check` installs, then the rest with everything.
if [ -x "$root/.ci/run" ]; then
  cp -r "$root/.ci" "$root/Makefile" .
  rm -f scripts/fetch-peers.sh
  # shellcheck disable=SC2016 # the script's own
  printf '%s\n' '#!/bin/sh' '[ "$1" != ci ] || : >moon' >scripts/setup.sh
  sed -i '/^torn)/d' planted.sh
  # runs STATUS LINE TESTS: .ci/run ends so, and has run these, once each of those that were not skipped.
  runs() {
    rm -rf build moon run
    FLAVOURS=release .ci/run >out 2>&1
    code=$?
    sort run | tr '\n' ' ' >met
    [ $code -eq "$1" ] && [ "$(tail -n 1 out)" = "$2" ] && [ "$(cat met)" = "$3 " ] && return
    echo ".ci/run: wanted $1, '$2' and the tests $3; found $code, $(cat met) and:"
    cat out
    failed=1
  }
  runs 1 "5 passed, 1 failed, 1 skipped" "bad dark dark good half half late odd+.name odd+.name torn torn"
  sed -i 's/^bad) exit 1/bad) exit 0/' planted.sh
  runs 0 "6 passed, 0 failed, 1 skipped" "bad dark dark good half half late odd+.name odd+.name torn torn"
fi

# Planted bugs count as tests.
project 'add_test(NAME good COMMAND sh -c "exit 0")'
mkdir -p tests/mutants
cat >tests/mutants/mutants.sh <<'SH'
#!/bin/sh
[ "$1" = 10 ] || exit 2
echo 'mutants: 10 of 99, seed 1; the same again: make mutants MUTANTS="10" MUTANTS_SEED=1'
echo 'noticed   cpu:12  src/a.c: unit.a, built in 1 s, run in 1 s'
echo 'SURVIVED  io:3  unit.b passed, though src/b.c is wrong: Why it matters.'
echo 'skipped   io:9  unit.c is skipped here: no moon'
echo '1 noticed, 1 survived, 0 in error, 1 skipped; 3 s'
exit 1
SH
chmod +x tests/mutants/mutants.sh
scripts/check.sh release mutants >out 2>&1 </dev/null
[ $? -eq 1 ] && [ "$(tail -n 1 out)" = "2 passed, 1 failed, 1 skipped" ] || { cat out; failed=1; }
says "FAILED: mutants:io:3: unit.b passed, though src/b.c is wrong: Why it matters."
says "skipped: mutants:io:9: unit.c is skipped here: no moon"

project 'message(FATAL_ERROR "does not configure")'
closes 1 "0 passed, 1 failed, 0 skipped"
says "FAILED: release:build: the build failed"

project ''
sed -i '/set_tests_properties/d' CMakeLists.txt
closes 1 "0 passed, 1 failed, 0 skipped"
exit $failed
