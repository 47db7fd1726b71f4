#!/bin/sh
# package.sh BUILD CPACK CC: the Debian package holds what an installation holds, and dpkg installs it (into a root of
# this test's own, with this system's packages to depend on), where its program runs and programs are built with it; and
# removes it again. SPDX-License-Identifier: MIT
set -u
build=$1 cpack=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
command -v dpkg-deb >/dev/null 2>&1 || { echo "skip: the Debian package: there is no dpkg-deb here"; exit 77; }
command -v file >/dev/null 2>&1 || { echo "skip: the Debian package: cpack needs 'file' (apt-get install file)"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-package.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }

"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
package=$(echo "$work"/gradus_*.deb)
version=$(dpkg-deb -f "$package" Version)
depends=$(dpkg-deb -f "$package" Depends)
case $depends in
*libc6*) ;;
*)
  if command -v dpkg-shlibdeps >/dev/null 2>&1; then
    complain "the package depends on '$depends', without libc6"
  else
    echo "skip: what the package depends on: cpack needs dpkg-shlibdeps (apt-get install dpkg-dev)"
  fi
  ;;
esac
dpkg-deb -I "$package" shlibs | grep -qx "libgradus 0 gradus (>= $version)" ||
  complain "the package does not say what its library's users are to depend on"

# The program and a program of somebody else's, from what lies under ROOT.
works_from() {
  root=$1
  for wanted in bin/gradus lib/libgradus.so.0 lib/libgradus-cublas.so.0 lib/libgradus-pblas.so.0 lib/libgradus.a include/gradus/gradus.h \
    include/gradus/cblas.h include/gradus/dist.h \
    lib/pkgconfig/gradus.pc share/doc/gradus/LICENSE share/man/man1/gradus.1 share/man/man3/gradus.3; do
    find "$root/usr" -path "*/$wanted" 2>/dev/null | grep -q . || complain "the package lacks /usr/$wanted"
  done
  "$root/usr/bin/gradus" --version >"$work/out" 2>&1 || complain "gradus fails: $(cat "$work/out")"
  grep -qF "$version" "$work/out" || complain "package $version, but gradus says $(head -n 1 "$work/out")"
  lib=$(dirname "$(find "$root/usr" -name libgradus.so)")
  for source in consumer consumer_blas; do
    if "$cc" -I"$root/usr/include" -o "$work/$source" "$here/$source.c" -L"$lib" -lgradus; then
      LD_LIBRARY_PATH=$lib "$work/$source" >"$work/out" 2>&1 || complain "$source fails: $(cat "$work/out")"
    else
      complain "$source does not compile"
    fi
  done
}

# scratch_dpkg ARGUMENT…: dpkg for a root in which every package of this system counts as installed. Its complaints that
# it has no lists of their files are left out. The package's scripts call ldconfig, which only tells that it was called.
mkdir "$work/bin"
printf '#!/bin/sh\necho called >>%s/ldconfig\n' "$work" >"$work/bin/ldconfig"
chmod +x "$work/bin/ldconfig"
scratch_dpkg() {
  PATH=$work/bin:$PATH:/usr/sbin:/sbin dpkg --force-not-root --force-script-chrootless --instdir="$work/root" --admindir="$work/root/var/lib/dpkg" \
    --log="$work/dpkg.log" "$@" >"$work/out" 2>&1 && return
  grep -v 'files list file for package' "$work/out"
  return 1
}

status=$(dpkg-query --admindir=/var/lib/dpkg -W -f '${Package}\n' 2>/dev/null | wc -l)
if [ "$status" -gt 0 ] && [ -r /var/lib/dpkg/status ]; then
  mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates" "$work/root/var/lib/dpkg/triggers"
  cp /var/lib/dpkg/status "$work/root/var/lib/dpkg/status"
  [ ! -r /var/lib/dpkg/arch ] || cp /var/lib/dpkg/arch "$work/root/var/lib/dpkg/arch"
  if scratch_dpkg -i "$package"; then
    state=$(dpkg-query --admindir="$work/root/var/lib/dpkg" -W -f '${db:Status-Status}' gradus 2>/dev/null)
    [ "$state" = installed ] || complain "dpkg says that gradus is '$state', not installed"
    [ -s "$work/ldconfig" ] || complain "the package does not have ldconfig run"
    works_from "$work/root"
    scratch_dpkg -r gradus || complain "dpkg does not remove it"
    left=$(find "$work/root/usr" -type f 2>/dev/null)
    [ -z "$left" ] || complain "left behind: $left"
  else
    complain "dpkg does not install it"
  fi
else
  echo "skip: installing the Debian package: this system has no dpkg database; it is unpacked instead"
  dpkg-deb -x "$package" "$work/root" && works_from "$work/root"
fi
exit $failed
