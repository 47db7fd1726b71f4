// exits_at_load.c: a constructor that ends the process before the kernel is ever called.
// SPDX-License-Identifier: MIT
// expect:  exit died
// options: --size 300 --verify-only

#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
    _exit(3);
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
}
