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
says ".*libexec_blas_renamed.so has gemm under a name of its own, other_cblas_dgemm64_" \
  env CALLER_WANTS_STAND_IN=1 "$renamed" d s

# As a wheel lays it out.
mkdir -p "$work/site-packages/numpy.libs"
cp "$(dirname "$gradus")"/libexec_blas_renamed.so "$work/site-packages/numpy.libs/" 2>/dev/null
says ".*/site-packages/numpy.libs/.*other_cblas_dgemm64_.* do: it came in a wheel from PyPI.*python3-numpy.*gradus.matmul" \
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
# refuses STATUS PATTERN COMMAND…: the command does not run, and one line says why.
refuses() {
  wanted=$1 pattern=$2
  shift 2
  "$gradus" exec "$@" >/dev/null 2>"$work/err"
  status=$?
  [ "$status" = "$wanted" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -Eq "cannot be run: $pattern" "$work/err" && return
  echo "$*: wanted $wanted, '$pattern'; found $status:"
  cat "$work/err"
  failed=1
}

# What is missing is the interpreter, and not the file.
"$cc" -o "$work/lost" "$work/own.c" -Wl,--dynamic-linker=/nowhere/ld.so || exit 2
refuses 127 "its dynamic loader, /nowhere/ld.so, is not there: .* of 64 bits" "$work/lost"
printf '#!/nowhere/python3 -u\n' >"$work/script"
refuses 127 "the interpreter in its first line, /nowhere/python3, is not there" "$work/script"
printf '#!%s\n' "$work/lost" >"$work/script"
refuses 127 "its dynamic loader, /nowhere/ld.so, is not there" "$work/script"
printf '#!/bin/sh\r\n' >"$work/script"
refuses 127 "its lines end as on Windows, .*'/bin/sh' with a carriage return" "$work/script"
printf '#!%s\n' "$work/own.c" >"$work/script"
refuses 126 "the interpreter in its first line, .*/own.c: Permission denied" "$work/script"
printf 'true\n' >"$work/script"
refuses 126 "it is no program, and no script whose first line" "$work/script"

# Programs of 32 bits: without a loader of that width, with one that is not there, with the system's.
cat >"$work/narrow.c" <<'END'
void _start(void) { __asm__("movl $1, %eax; xorl %ebx, %ebx; int $0x80"); }
END
narrow() {
  "$cc" -m32 -nostdlib "$@" -o "$work/narrow" "$work/narrow.c" 2>/dev/null
}
if ! narrow -static; then
  echo "skip: programs of 32 bits: the compiler makes none here"
elif ! "$work/narrow"; then
  echo "skip: programs of 32 bits: this system runs none"
else
  says "$work/narrow is a program for another machine or width" "$work/narrow"
  narrow -pie -Wl,--dynamic-linker=/nowhere/ld.so || exit 2
  refuses 127 "its dynamic loader, /nowhere/ld.so, is not there: .* of 32 bits" "$work/narrow"
  narrow -pie || exit 2
  if "$work/narrow" 2>/dev/null; then
    says "$work/narrow is a program for another machine or width" "$work/narrow"
  else
    refuses 127 "its dynamic loader, .*, is not there: .* of 32 bits" "$work/narrow"
  fi
fi
# Root can give a program to another, with the right to run as him.
if [ "$(id -u)" = 0 ] && cp "$work/own" "$work/setuid" && chown 65534 "$work/setuid" && chmod 4755 "$work/setuid" &&
  chmod 755 "$work" && ! findmnt -T "$work" -o OPTIONS 2>/dev/null | grep -q nosuid; then
  says "$work/setuid is setuid, setgid or has capabilities" "$work/setuid"
else
  echo "skip: a setuid program: only root can make one that runs as another"
fi
exit $failed
