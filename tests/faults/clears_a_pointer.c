// clears_a_pointer.c: clears as many bytes of C as a pointer has.
// SPDX-License-Identifier: MIT
// expect:  wrong note
// says:    the compiler warns
// options: --size 96
#include <string.h>

void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    memset(C, 0, sizeof(C));
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
}
