#!/bin/sh
# check_rungs.sh GRADUS TABLE: what the ladder's rungs are told, and what they are not. SPDX-License-Identifier: MIT
set -u
gradus=$1 table=$2
failed=0 last='' out=''
while read -r rung size verdict kind words; do
  case $rung in '#'* | '') continue ;; esac
  if [ "$rung $size" != "$last" ]; then
    out=$("$gradus" explain "$rung" --gpu h200 --size "$size" --format json 2>&1)
    last="$rung $size"
  fi
  case $out in
    *'"skip": null'*) ;;
    *) echo "skip: there is no compiler"; exit 77 ;;
  esac
  case $out in
    *'"coverage": null'*) echo "skip: the rungs were not simulated"; exit 77 ;;
  esac
  found=$(echo "$out" | grep -F "{\"kind\": \"$kind\", " | grep -F "$words")
  if [ "$verdict" = fires ] && [ -z "$found" ]; then
    echo "$rung at $size: no advice of the kind $kind${words:+ that says \"$words\"}"
    failed=1
  elif [ "$verdict" = quiet ] && [ -n "$found" ]; then
    echo "$rung at $size: advice where none is due: $found"
    failed=1
  fi
done <"$table"
exit $failed
