#!/usr/bin/env bash
# excerpts.sh [--check] FILE.md…: runs the commands that a document shows and replaces the output below each, or with --check prints
# the differences. SPDX-License-Identifier: MIT
#
# An excerpt is a block of code that begins with ```console. Its first line is "$ " and a command, the rest is what the command
# prints. `gradus` is build/gradus, or $GRADUS. Run this script in the root of the source tree.
set -u
check=no
if [[ ${1:-} == --check ]]; then
  check=yes
  shift
fi
gradus=$(realpath "${GRADUS:-build/gradus}")
mkdir -p "${TMPDIR:-/tmp}" && here=$(mktemp -d "${TMPDIR:-/tmp}/gradus-excerpts.XXXXXX") || exit 2
trap 'rm -rf "$here"' EXIT
ln -s "$gradus" "$here/gradus"
PATH=$here:$PATH
code=0
for file in "$@"; do
  state=text
  while IFS= read -r line; do
    case $state$line in
    text'```console') state='command' ;;
    command'$ '*)
      printf '%s\n' "$line"
      bash -c "${line#\$ }" </dev/null 2>&1 | sed 's/[[:blank:]]*$//'
      state=output
      continue
      ;;
    output'```') state=text ;;
    output*) continue ;;
    esac
    printf '%s\n' "$line"
  done <"$file" >"$here/new"
  if [[ $check == yes ]]; then
    diff -u "$file" "$here/new" || code=1
  else
    cat "$here/new" >"$file"
  fi
done
exit $code
