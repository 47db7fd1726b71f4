// no_compile.c: uses what it never declared.
// SPDX-License-Identifier: MIT
// expect:  no-compile compiler
// options: --size 96

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    C[0] = undeclared;
}
