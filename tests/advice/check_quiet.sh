#!/bin/sh
# check_quiet.sh GRADUS TABLE: kernels beside the table must have no advice of the kinds that its lines name.
# SPDX-License-Identifier: MIT
set -u
gradus=$1 table=$2
folder=$(dirname "$table")
failed=0 last='' out=''
while read -r rule kernel size smem kind why; do
  case $rule in '#'* | '') continue ;; esac
  if [ "$kernel $size $smem" != "$last" ]; then
    last="$kernel $size $smem"
    if ! out=$("$gradus" explain "$folder/$kernel.cu" --gpu h200 --size "$size" --smem "$smem" --shapes no --format json 2>&1); then
      echo "$last: explain fails"
      echo "$out" | head -n 40
      exit 1
    fi
  fi
  case $out in
    *'"skip": null'*) ;;
    *'"skip": '*) echo "skip: there is no compiler for $kernel"; exit 77 ;;
  esac
  found=$(echo "$out" | grep -F "{\"kind\": \"$kind\", ")
  if [ -n "$found" ]; then
    echo "$rule: $why ($last), but: $found"
    failed=1
  fi
  case $out in
    *'"coverage": null'*) echo "skip: $kernel was not simulated"; exit 77 ;;
  esac
done <"$table"
[ -n "$last" ] || failed=1
exit $failed
