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
# closes STATUS LINE: check.sh must end with that exit status and exactly that last line.
closes() {
  scripts/check.sh release >out 2>&1 </dev/null
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

project 'message(FATAL_ERROR "does not configure")'
closes 1 "0 passed, 1 failed, 0 skipped"
says "FAILED: release:build: the build failed"

project ''
sed -i '/set_tests_properties/d' CMakeLists.txt
closes 1 "0 passed, 1 failed, 0 skipped"
exit $failed
