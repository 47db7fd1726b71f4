#!/bin/sh
# fetch_test.sh SCRIPT: fetch-peers.sh on machines without apt, without the network, and with what it wants; on planted
# programs, so that nothing is downloaded. SPDX-License-Identifier: MIT
set -eu
script=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shell=$(command -v sh)
failed=0
expect() { # WHAT WANTED-STATUS WANTED-TEXT COMMAND…
  what=$1 status=$2 text=$3
  shift 3
  got=0
  "$@" >"$work/out" 2>&1 || got=$?
  if [ "$got" != "$status" ] || ! grep -q -- "$text" "$work/out"; then
    echo "FAILED: $what: status $got, wanted $status and '$text' in:"
    cat "$work/out"
    failed=1
  fi
}
plant() { # NAME BODY: a program of that name, first in PATH
  printf '#!%s\n%s\n' "$shell" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

expect "no folder given" 2 "usage" "$script"
expect "a machine without apt" 0 "skip: no apt-get" env PATH=/nonexistent "$shell" "$script" "$work/none"

mkdir "$work/bin"
export PATH="$work/bin:$PATH"
plant dpkg 'echo amd64'
plant dpkg-query 'echo installed'
plant apt-get 'exit 100'
plant apt-cache 'exit 100'
plant dpkg-deb 'exit 2'
expect "no package lists and no network" 0 "skip: no package lists" "$script" "$work/offline"

# Lists, but nothing can be downloaded.
plant apt-cache 'case "$*" in *pkgnames*libdnnl) echo libdnnl2; echo libdnnl3; echo libdnnl-dev;;
  *pkgnames*libopenblas0*) echo libopenblas0-pthread;; esac'
expect "nothing to download" 0 "OpenBLAS (libopenblas0-pthread), oneDNN (libdnnl3), BLIS (no package libblis" \
  "$script" "$work/offline"

# Packages that unpack; one of what they need is installed, one is not.
plant apt-cache 'case "$*" in *pkgnames*libdnnl) echo libdnnl3;; *pkgnames*libblis) echo libblis4-openmp; echo libblis4-serial;;
  *pkgnames*libopenblas0*) echo libopenblas0-pthread;; esac'
plant apt-get 'for last; do :; done; echo "$last" >"${last}_1_amd64.deb"'
plant dpkg-query 'case "$*" in *libpresent*) echo installed;; esac'
plant dpkg-deb 'case $1 in
  -x) mkdir -p "$3/usr/lib"; cp "$2" "$3/usr/lib/";;
  -f) case $3 in Version) echo 1.0;; *) echo "Depends: libpresent (>= 2), libmissing:any | libother";; esac;; esac'
expect "everything there is" 0 "libmissing 1.0 unpacked" "$script" "$work/online"
for package in libopenblas0-pthread libdnnl3 libblis4-openmp libmissing; do
  expect "$package is unpacked" 0 "$package" cat "$work/online/usr/lib/${package}_1_amd64.deb"
done
expect "what is installed is not fetched" 2 "libpresent" ls "$work/online/usr/lib/libpresent_1_amd64.deb"
plant apt-get 'echo >"$0.called"; exit 100'
expect "a second time" 0 "are in $work/online" "$script" "$work/online"
expect "a second time, nothing is fetched" 2 "called" ls "$work/bin/apt-get.called"
exit $failed
