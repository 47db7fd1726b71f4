#!/bin/sh
# quoted.sh ROOT DOCUMENT…: what a document quotes from examples/ stands there. A block of code whose first line is
# "// examples/NAME", in Python "# examples/NAME", is a quotation: lines that follow one another in that file; indentation is left out of account.
# SPDX-License-Identifier: MIT
set -u
cd "$1" || exit 2
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-quoted.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
quotations=0

# squeeze: lines without the blanks at their ends, joined by a letter that no source has.
squeeze() { sed 's/^[[:blank:]]*//; s/[[:blank:]]*$//' "$1" | tr '\n' '\001'; }

check() {
  quotations=$((quotations + 1))
  if [ ! -f "$name" ]; then
    echo "$document quotes $name, which is not there"
    failed=1
    return
  fi
  squeeze "$name" >"$work/whole"
  squeeze "$work/part" >"$work/wanted"
  awk -v RS='\002' 'FNR == NR { whole = $0; next } { exit !index(whole, $0) }' "$work/whole" "$work/wanted" || {
    echo "$document: this is not in $name:"
    cat "$work/part"
    failed=1
  }
}

for document in "$@"; do
  name=''
  inside=no
  while IFS= read -r line; do
    case $inside$line in
    no'```c'* | no'```python') inside=first ;;
    first'// examples/'* | first'# examples/'*) name=${line#* }; : >"$work/part"; inside=yes ;;
    first*) inside=other ;;
    yes'```') check; inside=no ;;
    other'```') inside=no ;;
    yes*) printf '%s\n' "$line" >>"$work/part" ;;
    esac
  done <"$document"
done
[ "$quotations" -gt 0 ] || { echo "no quotations in $*"; failed=1; }
exit $failed
