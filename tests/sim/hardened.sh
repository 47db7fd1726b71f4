#!/usr/bin/env bash
# hardened.sh GRADUS SOURCE: g++ as distributions configure it that harden what it makes (Ubuntu, Fedora): prints and copies
# would be functions of other names, stacks guarded. What the simulator finds is the same. SPDX-License-Identifier: MIT
set -u
gradus=$1 source=$2
command -v g++ >/dev/null || {
  echo "skip: g++ is missing (apt-get install g++)"
  exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-hardened.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cat >"$work/g++" <<SH
#!/bin/sh
exec $(command -v g++) -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong "\$@"
SH
chmod +x "$work/g++"
export PATH=$work:$PATH XDG_CACHE_HOME=$work/cache
status=0
for fault in prints_wild copied_race; do
  "$source/tests/sim/run_faults.sh" "$gradus" "$source/tests/sim/faults/$fault.cu" || status=1
done
exit "$status"
