// adds_to_c.c: adds to C, which nobody has set to zero, and does not say so.
// SPDX-License-Identifier: MIT
// expect:  wrong adds-to-c
// reason:  looks as if beta were taken as 1
// says:    add the line `//@ zero C`
// options: --size 96

void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += A[i * K + k] * B[k * N + j];
}
