// endless_at_load.c: a constructor that never returns.
// SPDX-License-Identifier: MIT
// expect:  timeout died
// options: --size 96 --verify-only

__attribute__((constructor)) static void stay(void)
{
    for (volatile int i = 0;; i++)
        ;
}

void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
}
