#!/usr/bin/env bash
# hostile.sh [OPTION…] GRADUS [STEP…]: runs gradus under hostile conditions, one step after the other: step_<name>.sh, all of
# them where none is named. README.md says what each does and what must hold in all of them. SPDX-License-Identifier: MIT
#
#   --seed S     what the steps draw by; the time where not said. It is printed, and the same again does the same again
#   --smoke      a few of everything, in seconds
#   --minutes N  when all must have ended; 10 where not said
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seed=$(date +%s) scale=whole minutes=10 steps=()

die() {
  printf 'hostile: %s\n' "$*" >&2
  exit 2
}
while (($#)); do
  case $1 in
  --seed) shift && seed=${1:?--seed needs a number} ;;
  --minutes) shift && minutes=${1:?--minutes needs a number} ;;
  --smoke) scale=smoke ;;
  -*) die "unknown option $1: the head of tests/hostile/hostile.sh names them" ;;
  *) steps+=("$1") ;;
  esac
  shift
done
((${#steps[@]})) || die "no program: hostile.sh build/gradus"
[[ $seed =~ ^[0-9]+$ && $minutes =~ ^[0-9]+$ ]] || die "a seed and minutes are whole numbers, found '$seed' and '$minutes'"
program=$(realpath "${steps[0]}") || exit 2
[[ -x $program ]] || die "$program is no program"
steps=("${steps[@]:1}")
if ((${#steps[@]} == 0)); then
  for file in "$here"/step_*.sh; do
    name=${file##*/step_}
    steps+=("${name%.sh}")
  done
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gradus-hostile.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
for name in $(env | sed -n 's/^\(GRADUS_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
ulimit -c 0

weight_of() { sed -n 's/^# share: //p' "$here/step_$1.sh" 2>/dev/null | grep . || echo 1; }

printf 'hostile: seed %s; the same again: tests/hostile/hostile.sh --seed %s%s %s %s\n' "$seed" "$seed" \
  "$([[ $scale == whole ]] || echo " --$scale")" "${program#"$PWD/"}" "${steps[*]}"
end=$((SECONDS + 60 * minutes)) failed=0 passed=0 skipped=0
for ((i = 0; i < ${#steps[@]}; i++)); do
  step=${steps[i]}
  [[ -f $here/step_$step.sh ]] || die "there is no step $step"
  began=$SECONDS
  # What is left is for all that are left, by the weights at their heads.
  weights=0
  for ((j = i; j < ${#steps[@]}; j++)); do weights=$((weights + $(weight_of "${steps[j]}"))); done
  share=$(((end - SECONDS) * $(weight_of "$step") / weights))
  HOSTILE_PROGRAM=$program HOSTILE_SEED=$seed HOSTILE_SCALE=$scale HOSTILE_FOLDER=$scratch/$step HOSTILE_HERE=$here \
    HOSTILE_SECONDS=$share timeout --foreground -k 10 $((share + 60)) bash "$here/step_$step.sh" </dev/null
  code=$?
  rm -rf "${scratch:?}/$step"
  case $code in
  0) verdict=passed passed=$((passed + 1)) ;;
  77) verdict=skipped skipped=$((skipped + 1)) ;;
  124 | 137) verdict="FAILED: it does not come to an end" failed=$((failed + 1)) ;;
  130) exit 130 ;;
  *) verdict=FAILED failed=$((failed + 1)) ;;
  esac
  printf 'hostile: %s: %s, %d s\n' "$step" "$verdict" $((SECONDS - began))
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
