#!/bin/sh
# run_case.sh [--bless] PROGRAM FILE.case: one command-line test; README.md says how a case is written.
# SPDX-License-Identifier: MIT
set -u

bless=
if [ "$1" = --bless ]; then
    bless=yes
    shift
fi
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
case_dir=$(cd "$(dirname "$2")" && pwd)
script=$case_dir/$(basename "$2")
expected=${script%.case}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)

# The values of the `# KEY: value` lines in the comment at the head of a case, one a line.
header() {
    sed -n -e '/^#/!q' -e "s/^# $1: *//p" "$script"
}

for tool in $(header needs); do
    if ! command -v "$tool" >/dev/null; then
        echo "skip: needs $tool"
        exit 77
    fi
done

work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/home" "$work/cache" "$work/tmp" "$work/here"

# What this machine can do at most takes two seconds to measure, and kernels take seconds to compile. A user has both in the
# cache from the first run on, and so do all cases but those that are about them. The compiled kernels are shared with every
# other test of whoever runs this: the program lets many write there at once.
kept=${XDG_CACHE_HOME:-$HOME/.cache}/gradus
mkdir "$work/cache/gradus"
if [ "$(header ceilings)" != fresh ] && [ -d "$kept/ceilings" ]; then
    cp -r "$kept/ceilings" "$work/cache/gradus/"
fi
if [ "$(header compiled)" != fresh ]; then
    for folder in jit sim; do
        mkdir -p "$kept/$folder" && ln -s "$kept/$folder" "$work/cache/gradus/$folder"
    done
fi

for name in $(env | sed -n 's/^\(GRADUS_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset COLUMNS NO_COLOR XDG_DATA_HOME
(
    cd "$work/here" || exit 1
    HOME=$work/home XDG_CACHE_HOME=$work/cache TMPDIR=$work/tmp LC_ALL=C.UTF-8 TERM=xterm \
        PATH=$(dirname "$program"):$PATH SOURCE=$source_dir \
        sh -e "$script" >"$work/out" 2>"$work/err" </dev/null
)
status=$?

if [ "$status" = 77 ]; then # the script found that it cannot show anything here
    grep '^skip: ' "$work/out"
    exit 77
fi

header mask >"$work/masks"
echo '/^\[[0-9]*\/[0-9]*\] .* so far$/d' >>"$work/masks" # what takes long, as with a sanitizer, tells so each half minute
for stream in out err; do
    sed -e "s|$work/here|WORK|g" -f "$work/masks" "$work/$stream" >"$work/$stream.masked"
done

failed=0
fail() {
    echo "$(basename "$script"): $*"
    failed=1
}

wanted=$(header exit)
[ "$status" = "${wanted:-0}" ] || fail "exit status: found $status, wanted ${wanted:-0}"
for stream in out err; do
    if [ -n "$bless" ]; then
        rm -f "$expected.$stream"
        [ -s "$work/$stream.masked" ] && cp "$work/$stream.masked" "$expected.$stream"
        continue
    fi
    wanted_text=$expected.$stream
    [ -f "$wanted_text" ] || wanted_text=/dev/null
    diff -u "$wanted_text" "$work/$stream.masked" || fail "std$stream differs (- wanted, + found)"
done

# Every process of the case carries its HOME in the environment.
left=$(grep -l "HOME=$work/home" /proc/[0-9]*/environ 2>/dev/null)
for environ in $left; do
    pid=${environ#/proc/}
    pid=${pid%/environ}
    fail "left a process behind: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)"
    kill -KILL "$pid" 2>/dev/null
done
left=$(find "$work" -name '*.tmp.*')
[ -z "$left" ] || fail "left files behind: $left"
exit "$failed"
