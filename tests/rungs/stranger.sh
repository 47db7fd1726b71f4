#!/bin/sh
# stranger.sh GRADUS FILE.cu: a kernel that is right on a GPU is right on the simulator; one that is not run says why.
# "// with NAME VALUE" in the file becomes the option --NAME. SPDX-License-Identifier: MIT
set -u
gradus=$1 file=$2
out=$(mktemp "${TMPDIR:-/tmp}/gradus-stranger.XXXXXX") || exit 2
trap 'rm -f "$out"' EXIT
case $(basename "$file") in
tensor_map.cu) wanted=3 words='not modelled: tensor maps' size=256 ;; # a grid of whole clusters
*) wanted=0 words='' size=64 ;;
esac

grep '^// with ' "$file" >"$out"
set -- --device sim --size "$size"
while read -r _ _ name value; do
  set -- "$@" "--$name" "$value"
done <"$out"
"$gradus" run "$file" "$@" >"$out" 2>&1 </dev/null
code=$?
cat "$out"
if grep -q 'no C++ compiler' "$out"; then
  echo "skip: no C++ compiler (apt-get install g++)"
  exit 77
fi
[ "$code" = "$wanted" ] || { echo "exit status $code, wanted $wanted: gradus run $file $*"; exit 1; }
grep -q "$words" "$out" || { echo "it does not say: $words"; exit 1; }
