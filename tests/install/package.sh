#!/bin/sh
# package.sh BUILD CPACK: the Debian package holds what an installation holds, and its program runs where it was unpacked.
# SPDX-License-Identifier: MIT
set -u
build=$1 cpack=$2
command -v dpkg-deb >/dev/null 2>&1 || { echo "skip: the Debian package: there is no dpkg-deb here"; exit 77; }
command -v file >/dev/null 2>&1 || { echo "skip: the Debian package: cpack needs 'file' (apt-get install file)"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-package.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
dpkg-deb -x "$work"/gradus_*.deb "$work/root" || exit 1
for wanted in bin/gradus lib/libgradus.so.0 include/gradus/gradus.h lib/pkgconfig/gradus.pc share/doc/gradus/LICENSE; do
  find "$work/root/usr" -path "*/$wanted" | grep -q . || { echo "the package lacks /usr/$wanted"; failed=1; }
done
"$work/root/usr/bin/gradus" --version >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
version=$(dpkg-deb -f "$work"/gradus_*.deb Version)
grep -qF "$version" "$work/out" || { echo "package $version, but gradus says $(head -n 1 "$work/out")"; failed=1; }
exit $failed
