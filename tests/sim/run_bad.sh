#!/usr/bin/env bash
# run_bad.sh GRADUS FILE [ENGINE]: a kernel that cannot be run, through `gradus explain` and `gradus run`: the right exit
# status, one line that says why, and nothing left behind. By its source or, with ENGINE code, by its machine code.
# SPDX-License-Identifier: MIT
#
# In the file: "//! exit N" the exit status, "//! exit N M" of explain and of run; "//! says REGEX" what the output has, once
# for each line; "//! explains REGEX" what explain's has, "//! runs REGEX" what run's has. LINE stands for the line marked
# "// HERE" or "// OR". Where machine code does otherwise, "//! code exit N", "//! code says REGEX" and so on are in the place
# of all of these; "//! code none REASON": it is not tried. "//! size N" in the place of 33; "//! time-limit SECONDS" in the place
# of 3; "//! only explain"; "//! needs compiler": NVRTC, without which registers are not known; "//! no compiler": as where there
# is none; "//! device sim:mi210" in the place of sim. Neither output is longer than 5 MB.
set -u
gradus=$(realpath "$1") file=$(realpath "$2")
name=$(basename "${file%.*}") engine=${3:-source}
out=$(mktemp -d "${TMPDIR:-/tmp}/gradus-bad.XXXXXX") || exit 2
trap 'rm -rf "$out"' EXIT
mkdir "$out/tmp" "$out/cache" "$out/at"
prefix='//! '
[[ $engine == source ]] || ! grep -q '^//! code ' "$file" || prefix='//! code '
# What the file says of WORD.
of() {
  sed -n "s|^$prefix$1 ||p" "$file"
}
read -r explain_code run_code < <(of exit)
here=$(grep -n -e '// HERE' -e '// OR' "$file" | cut -d: -f1 | paste -sd'|')
failed=0
! grep -q '^//! no compiler' "$file" || export GRADUS_NVRTC=/missing.so GRADUS_HIPRTC=/missing.so

complain() {
  echo "FAIL $name: $*"
  failed=1
}

# Processes that were started from here, by the token in their environment.
left_over() {
  for environment in /proc/[0-9]*/environ; do
    process=${environment%/environ}
    process=${process#/proc/}
    if tr '\0' '\n' 2>/dev/null <"$environment" | grep -q "^GRADUS_BAD_TOKEN=$out\$"; then
      echo "$process $(tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline")"
    fi
  done 2>/dev/null
}

try() { # status command…
  local wanted=$1 words=("${@:2}") before after
  before=$(ls /dev/shm 2>/dev/null)
  (cd "$out/at" && exec env TMPDIR="$out/tmp" XDG_CACHE_HOME="$out/cache" GRADUS_BAD_TOKEN="$out" timeout 90 "$gradus" "${words[@]}") 2>"$out/stderr" </dev/null >"$out/stdout"
  local code=$?
  if grep -q 'cannot simulate here' "$out/stderr"; then
    echo "skip: $(head -n 1 "$out/stderr")"
    exit 77
  fi
  cat "$out/stdout" "$out/stderr" | tr '\n' ' ' | tr -s ' ' >"$out/said"
  if { [[ $engine == code ]] || grep -q '^//! needs compiler' "$file"; } && grep -q 'no CUDA compiler' "$out/said"; then
    echo "skip: no NVRTC: pip install nvidia-cuda-nvrtc"
    exit 77
  fi
  if grep -q 'cannot open source file "\(nv\|cuda\|crt\)/' "$out/said"; then
    echo "skip: the toolkit's headers are not beside NVRTC: pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl"
    exit 77
  fi
  ((code == wanted)) || complain "exit status $code, wanted $wanted: gradus ${words[*]}"$'\n'"$(head -c 600 "$out/said")"
  while read -r regex; do
    regex=${regex//LINE/(line |:|[(])($here)}
    grep -q -E -e "$regex" "$out/said" || complain "does not say '$regex': gradus ${words[*]}"$'\n'"$(head -c 600 "$out/said")"
  done < <(of says; of "${words[0]}s")
  local bytes
  bytes=$(cat "$out/stdout" "$out/stderr" | wc -c)
  ((bytes < 5000000)) || complain "$bytes bytes of output: gradus ${words[*]}"
  sleep 0.2
  after=$(ls /dev/shm 2>/dev/null)
  [[ -z $(ls -A "$out/tmp") ]] || complain "left in the temporary folder: $(ls -A "$out/tmp"): gradus ${words[*]}"
  [[ -z $(ls -A "$out/at") ]] || complain "left in the working folder: $(ls -A "$out/at"): gradus ${words[*]}"
  [[ -z $(find "$out/cache" -name '*.tmp*' -o -name '*.part*' -o -name 'core*') ]] ||
    complain "left half-made in the cache: $(find "$out/cache" -name '*.tmp*' -o -name '*.part*' -o -name 'core*')"
  [[ $before == "$after" || $after != *radus* ]] || complain "left in /dev/shm: $after"
  processes=$(left_over)
  [[ -z $processes ]] || complain "still running: $processes: gradus ${words[*]}"
}

size=$(sed -n 's|^//! size ||p' "$file")
limit=$(sed -n 's|^//! time-limit ||p' "$file")
device=$(sed -n 's|^//! device ||p' "$file")
try "$explain_code" explain "$file" --engine "$engine" --device "${device:-sim}" --size "${size:-33}" --time-limit "${limit:-3}"
grep -q '^//! only explain' "$file" ||
  try "${run_code:-$explain_code}" run "$file" --engine "$engine" --device "${device:-sim}" --size "${size:-33}" --verify-only --time-limit "${limit:-3}"
exit $failed
