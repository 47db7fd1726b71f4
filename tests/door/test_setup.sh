#!/bin/sh
# test_setup.sh ROOT: on machines that lack things, scripts/setup.sh with NO_INSTALL=1 installs nothing, names the one line
# to run, goes on where it can and fails where nothing can be built. SPDX-License-Identifier: MIT
set -u
root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-door.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
cd "$work" || exit 2

# machine TOOL…: a PATH that holds these and what any system has; apt-get writes down that it was called.
machine() {
  rm -rf bin && mkdir bin
  for tool in bash env sed grep awk find head mkdir tee cat dirname "$@"; do
    path=$(command -v "$tool") || { echo "skip: setup on a bare machine: no $tool here to imitate one"; exit 77; }
    ln -s "$path" "bin/$tool"
  done
  printf '#!/bin/sh\necho "$@" >>%s/installed\n' "$work" >bin/apt-get
  chmod +x bin/apt-get
  : >installed
}
setup() {
  PATH=$work/bin NO_INSTALL=1 bin/bash "$root/scripts/setup.sh" build >out 2>&1 </dev/null
}
complain() { echo "$*"; cat out; failed=1; }
says() { grep -q "$1" out || complain "setup.sh does not say '$1':"; }

machine
setup && complain "a machine without a compiler: no failure"
says 'sudo apt-get install -y --no-install-recommends gcc g++ libc6-dev make cmake'
says "cannot build without 'cc'"
[ -s installed ] && complain "NO_INSTALL=1 called apt-get $(cat installed)"

machine cc make cmake
setup || complain "a machine with all that is needed, and no g++: a failure"
says 'sudo apt-get install -y --no-install-recommends .*g++'
says 'going on without .*g++'

rm bin/apt-get
setup || complain "a machine without apt-get: a failure"
says 'install what your system calls: .*g++'
exit $failed
