#!/bin/sh
# check_advice.sh GRADUS FILE.cu: a kernel named fires_* must have the advice that its `//!` lines ask for, at the line
# that is marked HERE where one is; one named quiet_* must have no advice of that kind. Edge shapes show faults, not advice:
# they are left out. SPDX-License-Identifier: MIT
#
#   //! kind banks        the finding's kind
#   //! size 256          the problem
#   //! words pad         what its text says
#   //! line 4            the line, where it cannot be marked
set -u
gradus=$1 file=$2
name=$(basename "$file" .cu)
say() { sed -n "s|^//! $1 ||p" "$file"; }
kind=$(say kind) size=$(say size) words=$(say words)
line=$(awk '/\/\/ HERE/ { print NR; exit }' "$file")
line=${line:-$(say line)}
out=$("$gradus" explain "$file" --gpu h200 --size "$size" --shapes no --format json 2>&1)
status=$?
case $out in
  *'"skip": null'*) ;;
  *'"skip": '*) echo "skip: there is no compiler for $name"; exit 77 ;;
esac
traced() {
  case $out in
    *'"coverage": null'*) echo "skip: $name was not simulated"; exit 77 ;;
  esac
}
if [ $status -ne 0 ]; then
  echo "$name: exit status $status"
  echo "$out" | head -n 40
  exit 1
fi
found=$(echo "$out" | grep -F "{\"kind\": \"$kind\", ")
case $name in
  quiet_*)
    [ -z "$found" ] && traced && exit 0
    echo "$name: advice where none is due: $found"
    exit 1
    ;;
esac
wanted="\"line\": ${line:-null}, "
echo "$found" | grep -F "$wanted" | grep -qF "$words" && exit 0
traced
echo "$name: no advice of the kind $kind at line ${line:-(none)} that says \"$words\". Found:"
echo "$out" | grep -F '{"kind": '
exit 1
