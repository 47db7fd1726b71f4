#!/usr/bin/env bash
# run.sh GRADUS FILE: runs one faulty kernel as a stranger's through `gradus run`, and compares the verdict and the
# finding with the file's "// expect:  VERDICT FINDING" line ("-": none asked for). SPDX-License-Identifier: MIT
#
# The exit status must fit the verdict: 0 for right, 1 for every other. "// options:" are given to `gradus run`;
# "// limit: N kilobytes …" caps the address space of the process and its children.
set -u
gradus=$1 file=$2
field() { sed -n "s|^// $1: *||p" "$file" | head -n 1; }
expect=$(field expect) options=$(field options) limit=$(field limit)
verdict=${expect% *} finding=${expect#* }
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-fault.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
[ -z "$limit" ] || ulimit -v "${limit%% *}"

# shellcheck disable=SC2086 # options are words
"$gradus" run "$file" $options --format json >"$out/json" 2>"$out/err" </dev/null
code=$?

failed=0
complain() { echo "$(basename "$file"): $*"; failed=1; }
flat=$(tr -d ' \n\t' <"$out/json")
case $flat in *"\"verdict\":\"$verdict\""*) ;; *) complain "no row with the verdict '$verdict'" ;; esac
if [ "$finding" != - ]; then
  case $flat in *"\"kind\":\"$finding\""*) ;; *) complain "no finding '$finding'" ;; esac
fi
wanted=1
[ "$verdict" = right ] && wanted=0
[ "$code" -eq $wanted ] || complain "exit status $code, wanted $wanted"
[ "$verdict" = right ] || case $flat in *'"gflops":'[1-9]*) [ "$verdict" = right ] || complain "a speed beside a bad verdict" ;; esac
if [ $failed -ne 0 ]; then
  echo "gradus run $file $options"
  cat "$out/json" "$out/err"
fi
exit $failed
