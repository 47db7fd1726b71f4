#!/bin/sh
# format.sh ROOT: C files are as .clang-format has them, and shell scripts are sound. SPDX-License-Identifier: MIT
set -u
cd "$1" || exit 2
failed=0
if command -v clang-format >/dev/null 2>&1; then
  case $(clang-format --version) in
  *" version 14."*)
    wrong=$(find src include python tests -name '*.[ch]' ! -path '*/kernels/*' ! -path '*/bad/*' ! -path '*/faults/*' | LC_ALL=C sort |
      xargs clang-format --dry-run --style=file 2>&1 |
      sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: .*clang-format-violations.*/\1/p' | uniq)
    for file in $wrong; do
      failed=1
      echo "$file is not as .clang-format has it: clang-format -i $file"
    done
    ;;
  *) echo "skip: C style: releases differ, and the files are as clang-format 14 writes them" ;;
  esac
else
  echo "skip: C style: clang-format is missing (apt-get install clang-format)"
fi

scripts=$(find scripts tests .ci packaging -type f \( -name '*.sh' -o -name run \) 2>/dev/null | LC_ALL=C sort)
for script in $scripts; do
  case $(head -n 1 "$script") in
  *bash) bash -n "$script" || failed=1 ;;
  *) sh -n "$script" || failed=1 ;;
  esac
  [ -x "$script" ] || { echo "$script is not executable: chmod +x $script"; failed=1; }
done
if command -v shellcheck >/dev/null 2>&1; then
  # shellcheck disable=SC2086 # no script's name holds a blank
  shellcheck --severity=warning $scripts || failed=1
else
  echo "skip: shell style: shellcheck is missing (apt-get install shellcheck)"
fi
exit $failed
