#!/bin/sh
# fetch-peers.sh DIR: downloads the libraries that Gradus is measured against (OpenBLAS, oneDNN, BLIS) and what they
# need and this machine lacks, from the distribution's own packages, and unpacks them under DIR. Nothing is
# installed: that would re-point the machine's BLAS. Needs apt and the network, not root. What cannot be had is
# named and the rest goes on; the exit status is 0 even then, since peers are optional. Debian and Ubuntu.
# SPDX-License-Identifier: MIT
set -u

say() { printf 'peers: %s\n' "$*"; }
skip() { say "skip: $*"; exit 0; }

[ $# -eq 1 ] || { echo "usage: fetch-peers.sh DIR" >&2; exit 2; }
for tool in apt-get apt-cache dpkg dpkg-deb dpkg-query; do
  command -v "$tool" >/dev/null 2>&1 ||
    skip "no $tool here; set GRADUS_PEERS to folders that hold libopenblas.so.0, libdnnl.so, libblis.so"
done
mkdir -p "$1/.fetched" 2>/dev/null || skip "cannot write $1"
dir=$(cd "$1" && pwd)
marks=$dir/.fetched # one empty file for each package that was unpacked
work=$dir/.work     # the package in flight
arch=$(dpkg --print-architecture)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

options="-qq -o APT::Sandbox::User=root"
own_lists="-o Dir::State::lists=$dir/.apt/lists -o Dir::Cache=$dir/.apt/cache"
get() { apt-get $options "$@"; }
newest() { apt-cache $options pkgnames "$1" 2>/dev/null | grep -E "^$1$2\$" | sort -V | tail -n 1; }

# The machine's package lists where it has them; else lists of our own, below DIR.
know_packages() {
  apt-cache $options show libopenblas0-pthread >/dev/null 2>&1 && return
  options="$options $own_lists"
  apt-cache $options show libopenblas0-pthread >/dev/null 2>&1 && return
  say "reading the package lists"
  mkdir -p "$dir/.apt/lists/partial" "$dir/.apt/cache/archives/partial"
  get update >/dev/null 2>&1
  apt-cache $options show libopenblas0-pthread >/dev/null 2>&1 ||
    skip "no package lists and no network to get them; as root: apt-get update"
}

installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1:$arch" "$1" 2>/dev/null | grep -qx installed
}

# Downloads and unpacks one package; adds what it needs to $queue. False when it cannot be had.
fetch() {
  [ -e "$marks/$1" ] && return 0
  rm -rf "$work"
  mkdir "$work"
  (cd "$work" && get download "$1") >/dev/null 2>&1
  deb=$(ls "$work"/*.deb 2>/dev/null | head -n 1)
  [ -n "$deb" ] && dpkg-deb -x "$deb" "$work/tree" && cp -RP "$work/tree/." "$dir" || return 1
  say "$1 $(dpkg-deb -f "$deb" Version) unpacked"
  queue="$queue
$(dpkg-deb -f "$deb" Pre-Depends Depends | sed -E 's/^(Pre-)?Depends: *//; s/ *\([^)]*\)//g; s/:any//g; s/ *\| */|/g' |
    tr ',' '\n' | tr -d ' ')"
  : >"$marks/$1"
}

# One entry of a Depends field, "a|b|c": any of them that is there, else the first that can be had.
need() {
  for package in $(echo "$1" | tr '|' ' '); do
    if [ -e "$marks/$package" ] || installed "$package"; then return 0; fi
  done
  for package in $(echo "$1" | tr '|' ' '); do
    fetch "$package" && return 0
  done
  return 1
}

if [ -e "$marks/complete" ]; then
  say "OpenBLAS, oneDNN and BLIS are in $dir"
  exit 0
fi
know_packages
missing=
queue=
# want NAME PREFIX SUFFIX: the newest package of that name; the suffix is a regular expression (soname and flavour).
want() {
  package=$(newest "$2" "$3")
  [ -n "$package" ] && fetch "$package" || missing="$missing, $1 (${package:-no package $2* for $arch})"
}
want OpenBLAS libopenblas0-pthread ''
want oneDNN libdnnl '[0-9.]+'
want BLIS libblis '[0-9]+(t64)?-openmp'
while [ -n "$queue" ]; do
  todo=$queue
  queue=
  for entry in $todo; do
    need "$entry" || missing="$missing, $entry"
  done
done
if [ -n "$missing" ]; then
  say "missing: ${missing#, }; their rows will be skipped"
else
  : >"$marks/complete"
fi
