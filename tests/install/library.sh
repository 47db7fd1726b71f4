#!/bin/sh
# library.sh LIBRARY: what libgradus.so needs and what it shows: libc, libm, threads and dlopen; its own API and BLAS's
# GEMM names. SPDX-License-Identifier: MIT
set -u
library=$1
failed=0

for needed in $(LC_ALL=C readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
  libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
  *)
    echo "$library needs $needed: only libc, libm, libpthread and libdl are allowed"
    failed=1
    ;;
  esac
done

names=$(nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }')
for name in $names; do
  case $name in
  gradus_* | cblas_[sd]gemm | [sd]gemm_ | xerbla_ | cblas_xerbla | RowMajorStrg) ;;
  *)
    echo "$library shows $name, which is not in its API: make it static or hidden"
    failed=1
    ;;
  esac
done
case " $(echo "$names" | tr '\n' ' ') " in
*" gradus_gemm_run "*) ;;
*) echo "$library does not show gradus_gemm_run"; failed=1 ;;
esac
exit $failed
