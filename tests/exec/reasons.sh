#!/bin/sh
# reasons.sh GRADUS CALLER RENAMED CC: where nothing is intercepted, the report says why. SPDX-License-Identifier: MIT
set -u
gradus=$1 caller=$2 renamed=$3 cc=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-exec.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD GRADUS_LIBRARY GRADUS_LEDGER
failed=0

# says PATTERN COMMAND…: the report of the command has no call, and all of it, on one line, fits the pattern. Returns 1
# where it does not.
says() {
  pattern=$1
  shift
  "$gradus" exec "$@" >/dev/null 2>"$work/err"
  tr -s ' \n' ' ' <"$work/err" >"$work/line"
  grep -Eq "gradus: 0 calls intercepted why: $pattern" "$work/line" && return
  echo "$*: wanted '$pattern', found:"
  cat "$work/err"
  failed=1
}

says "no process of it had a BLAS library" ls /
says "the program was ended by signal 9" "$caller" kill
says ".*libexec_blas_plain.so was loaded, but its cblas_dgemm was not called" "$caller"
says ".*libexec_blas_renamed.so has gemm under a name of its own, scipy_cblas_dgemm64_" \
  env CALLER_WANTS_STAND_IN=1 "$renamed" d s

# As a wheel lays it out.
mkdir -p "$work/site-packages/numpy.libs"
cp "$(dirname "$gradus")"/libexec_blas_renamed.so "$work/site-packages/numpy.libs/" 2>/dev/null
says ".*/site-packages/numpy.libs/.*scipy_cblas_dgemm64_.* do: it came in a wheel from PyPI.*python3-numpy.*gradus.matmul" \
  env CALLER_WANTS_STAND_IN=1 LD_LIBRARY_PATH="$work/site-packages/numpy.libs" "$renamed" d

cat >"$work/own.c" <<'END'
int dgemm_(void) { return 0; }
int main(void) { return dgemm_(); }
END
"$cc" -o "$work/own" "$work/own.c" || exit 2
says "$work/own has dgemm_ inside: it was linked with a static BLAS do: link" "$work/own"
printf '#!%s\n' "$work/own" >"$work/script"
chmod +x "$work/script"
says ".*no process of it had a BLAS library" "$work/script"
if "$cc" -static -o "$work/static" "$work/own.c" 2>/dev/null; then
  says "$work/static is statically linked: no library" "$work/static"
  printf '#! %s -x\n' "$work/static" >"$work/script"
  says "$work/static is statically linked: no library" "$work/script"
else
  echo "skip: a static program: the compiler makes none here"
fi
if "$cc" -m32 -nostdlib -o "$work/narrow" -x c - 2>/dev/null <<'END'
void _start(void) { __asm__("movl $1, %eax; xorl %ebx, %ebx; int $0x80"); }
END
then
  says "$work/narrow is a program for another machine or width" "$work/narrow"
else
  echo "skip: a program of 32 bits: the compiler makes none here"
fi
# Root can give a program to another, with the right to run as him.
if [ "$(id -u)" = 0 ] && cp "$work/own" "$work/setuid" && chown 65534 "$work/setuid" && chmod 4755 "$work/setuid" &&
  chmod 755 "$work" && ! findmnt -T "$work" -o OPTIONS 2>/dev/null | grep -q nosuid; then
  says "$work/setuid is setuid, setgid or has capabilities" "$work/setuid"
else
  echo "skip: a setuid program: only root can make one that runs as another"
fi
exit $failed
