#!/usr/bin/env bash
# run.sh GRADUS FILE: runs one faulty kernel as a stranger's through `gradus run`, and compares its row with the file's
# "// expect:  VERDICT FINDING" line ("-": no finding is asked for). SPDX-License-Identifier: MIT
#
# The exit status must fit the verdict, and only a right row may show a speed. "// reason:" is how the row's reason
# begins, "// says:" what is in the text of a finding. "// options:" are given to `gradus run`; "// limit: N kilobytes …" caps the address space of the process and
# its children.
set -u
gradus=$1 file=$2
name=$(basename "${file%.*}")
field() { sed -n "s|^// $1: *||p" "$file" | head -n 1; }
read -r verdict finding <<<"$(field expect)"
reason=$(field reason) says=$(field says)
read -ra options <<<"$(field options)"
limit=$(field limit)
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-fault.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT

(
  [[ -z $limit ]] || ulimit -v "${limit%% *}"
  exec "$gradus" run "$file" --peer none --time-limit 2 "${options[@]}" --format json
) >"$out/json" 2>"$out/err" </dev/null
code=$?

# The row of this kernel, without the peers' rows beside it.
flat=$(tr -d ' \n\t' <"$out/json")
row=${flat#*'{"kernel":"'"$name"'"'}
[[ $row != "$flat" ]] || row=""
row=${row%%'{"kernel":'*}
failed=0
complain() {
  echo "$name: $*"
  failed=1
}
[[ $row == *'"verdict":"'$verdict'"'* ]] || complain "the verdict is not '$verdict'"
[[ $finding == - || $row == *'"kind":"'$finding'"'* ]] || complain "no finding '$finding'"
[[ -z $reason || $row == *'"reason":"'"${reason// /}"* ]] || complain "the reason is not '$reason'"
[[ $row == *"${says// /}"* ]] || complain "no finding says '$says'"
wanted=1
[[ $verdict == right ]] && wanted=0
[[ $verdict == skip || $verdict == refused ]] && wanted=3
[[ $finding == launch ]] && wanted=1 # no GPU would take it: the kernel's fault, not the machine's
((code == wanted)) || complain "exit status $code, wanted $wanted"
if [[ $verdict == right ]]; then
  [[ $row == *'"gflops":'[0-9]*',"peak_fraction"'* ]] || complain "no speed beside a right verdict"
else
  [[ $row != *'"gflops":'[0-9]*',"peak_fraction"'* ]] || complain "a speed beside the verdict '$verdict'"
fi
if ((failed)); then
  echo "gradus run $file --peer none --time-limit 2 ${options[*]}"
  cat "$out/json" "$out/err"
fi
exit $failed
