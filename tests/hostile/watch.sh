#!/usr/bin/env bash
# watch.sh: what steps share, to be sourced: a fresh place for each command, the command itself under watch, and what must
# hold after it, whatever was done to it. SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # what the steps use
set -uo pipefail
gradus=$HOSTILE_PROGRAM
source_dir=$(cd "$HOSTILE_HERE/../.." && pwd)
mkdir -p "$HOSTILE_FOLDER" || exit 2
RANDOM=$((HOSTILE_SEED % 32768))
deadline=$((SECONDS + HOSTILE_SECONDS))
failures=0 place_number=0
before=()        # what the command is started by: env, ulimit, unshare …
keeps_temporary= # not empty: the command was killed, and could not remove its temporary files
patience=50      # tenths of a second until a process that is still there is one that was left

[[ $HOSTILE_SCALE == smoke ]] && smoke=yes || smoke=
# of WHOLE SMOKE: how many times.
of() { [[ $smoke ]] && echo "$2" || echo "$1"; }
# draw N: sets $drawn to 0 … N-1.
draw() { drawn=$(((RANDOM << 15 | RANDOM) % $1)); }
time_left() { ((SECONDS < deadline)); }

fail() {
  printf 'FAIL %s\n' "$*"
  failures=$((failures + 1))
}
ends() {
  ((failures == 0))
  exit
}

# fresh: a place of its own with a home, a cache and a folder for temporary files; the working directory is in it.
fresh() {
  [[ ! ${place:-} ]] || { cd "$HOSTILE_FOLDER" && chmod -R u+w "$place" && rm -rf "$place"; }
  place=$HOSTILE_FOLDER/$((++place_number))
  mkdir -p "$place/home" "$place/cache" "$place/tmp" "$place/here" && cd "$place/here" || exit 2
}

# watched STATUSES SECONDS COMMAND…: runs it; its exit status must be one of STATUSES, and what must always hold must hold.
# 128 + N stands for death of signal N. Outputs are in $place/out and $place/err.
watched() {
  local statuses=$1 limit=$2
  shift 2
  { # the shell's own words on what has ended the command are not the command's
    HOME=$place/home XDG_CACHE_HOME=$place/cache XDG_DATA_HOME=$place/home/data TMPDIR=$place/tmp HOSTILE_PLACE=$place LC_ALL=C.UTF-8 TERM=dumb \
      PATH=$(dirname "$gradus"):$PATH "${before[@]}" timeout --foreground -k 5 "$limit" "$@" \
      >"$place/out" 2>"$place/err" </dev/null
    status=$?
  } 2>/dev/null
  holds "$statuses" "${before[*]} $*"
}

# holds STATUSES COMMAND: judges $status, the messages and what was left behind.
holds() {
  local word found=
  for word in $1; do [[ $word != "$status" ]] || found=yes; done
  if [[ ! $found ]]; then
    case $status in
    124 | 137) fail "hangs: $2" ;;
    *) fail "status $status, wanted $1: $2" && sed 's/^/     /' "$place/err" | cut -c 1-300 | head -n 4 ;;
    esac
  fi
  if ((status == 2)) && ! [[ $(head -n 1 "$place/err") == "gradus: "* ]]; then
    fail "status 2 without a line 'gradus: …': $2" && head -n 3 "$place/err"
  fi
  if grep -aE -q 'Segmentation|stack smashing|AddressSanitizer|runtime error|Assertion|double free|corrupted' "$place/err"; then
    fail "breaks: $2" && head -n 3 "$place/err"
  fi
  nothing_runs "$2"
  nothing_is_left "$2"
}

# Every process that the command has started carries its place in the environment. Only what this prints says whether there is
# one: grep also fails where there is, since some of all processes have ended meanwhile or are not ours to look at.
marked() { grep -lsaz "^HOSTILE_PLACE=$place\$" /proc/[0-9]*/environ 2>/dev/null; }
nothing_runs() {
  local tenths environ pid left
  for ((tenths = 0; tenths < patience; tenths++)); do
    left=$(marked)
    [[ $left ]] || return 0
    sleep 0.1
  done
  for environ in $left; do
    pid=${environ#/proc/}
    pid=${pid%/environ}
    fail "left a process behind: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null): $1"
    kill -KILL "$pid" 2>/dev/null
  done
}

nothing_is_left() {
  local left
  left=$(find "$place/here" "$place/home" "$place/cache" -name '*.tmp*' 2>/dev/null)
  # Where no home can be written to, a folder there is the cache.
  [[ $keeps_temporary ]] || left+=$'\n'$(find "$place/tmp" -mindepth 1 ! -path "$place/tmp/gradus-[0-9]*" 2>/dev/null)
  left=$(grep . <<<"$left") || return 0
  fail "left files behind: $(tr '\n' ' ' <<<"${left//"$place/"/}" | cut -c 1-200): $1"
  xargs -r -d '\n' rm -rf <<<"$left"
}

# one_line COMMAND: where an input is refused, there is one line that says why.
one_line() {
  ((status != 2 || $(wc -l <"$place/err") == 1)) || {
    fail "refused in $(wc -l <"$place/err") lines: $1" && head -n 3 "$place/err"
  }
}

# Kernels and matrices to begin with.
write_kernels() {
  cat >mine.c <<'C'
//@ title   mine
void mine(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[(long)i * lda + k] * B[(long)k * ldb + j];
            C[(long)i * ldc + j] = alpha * sum + (beta != 0 ? beta * C[(long)i * ldc + j] : 0);
        }
}
C
  cat >mine.cu <<'CU'
//@ title   mine
//@ param   BM 16 {8,16}
//@ require M>0 && N>0 "there is something to do"
//@ grid    cdiv(N,16), cdiv(M,BM)
//@ block   16, BM
__global__ void mine(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}
CU
  grep -v '^//@' mine.cu >plain.cu
}
# npy NAME ROWS COLS: a matrix of zeros, of as many bytes as it says.
npy() {
  local header="{'descr': '<f4', 'fortran_order': False, 'shape': ($2, $3), }"
  { printf '\223NUMPY\001\000' && printf "\\$(printf %o ${#header})\\000%s" "$header"; } >"$1"
  truncate -s $((10 + ${#header} + 4 * $2 * $3)) "$1"
}
