#!/usr/bin/env bash
# clean_rung.sh GRADUS FILE.cu: a rung of the GPU's ladder, in each of its types and each transpose of the first, at the shapes of clean.sh:
# nothing may be found. A rung whose `arch` line names AMD's architectures is simulated on GPUs of those.
# SPDX-License-Identifier: MIT
set -u
gradus=$1 rung=$2
here=$(dirname "$0")
failed=0 skipped=0 tried=0

words() { sed -n "s|^//@ $1 *||p" "$rung" | tr -d ','; }

devices=
for arch in $(words arch); do
  case $arch in
  gfx90a) devices+=' sim:mi210' ;;
  gfx11) devices+=' sim:rx7900xtx' ;;
  gfx12) devices+=' sim:rx9070xt' ;;
  esac
done
# headers FILE: the files of its folder that it includes, and those that they include.
headers() {
  local header
  for header in $(sed -n 's|^#include "\(.*\)"|\1|p' "$1"); do
    echo "$(dirname "$rung")/$header"
    headers "$(dirname "$rung")/$header"
  done
}
engine=()
# What is written in PTX alone, without another way for the simulator, runs as machine code.
for header in $(headers "$rung" | sort -u); do
  ! grep -q 'asm volatile' "$header" || grep -q GRADUS_SIM "$header" || engine=(--engine code)
done
transposes=$(words trans) types=$(words type)
case $types in *=*) types=first ;; esac # lists such as A=f16 B=f16 C=f32
for device in ${devices:-sim}; do
  for type in $types; do
    for trans in ${transposes:-nn}; do
      [[ $type == "${types%% *}" || $trans == nn ]] || continue
      dtype=(--dtype "$type")
      [ "$type" != first ] || dtype=()
      said=$(DEVICE=$device "$here/clean.sh" "$gradus" "$(basename "$rung" .cu)" "${dtype[@]}" "${engine[@]}" --trans "$trans")
      code=$?
      echo "$device $type $trans: ${said//$'\n'/$'\n  '}"
      ((code != 77)) || skipped=$((skipped + 1))
      ((code == 0 || code == 77)) || failed=$((failed + 1))
      tried=$((tried + 1))
    done
  done
done
if ((skipped == tried)); then
  echo "skip: it could not be simulated"
  exit 77
fi
((failed == 0))
