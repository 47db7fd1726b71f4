// work_before.c: writes two elements before the start of the buffer that its `work` line asks for. In a
// program that is the memory of another.
// SPDX-License-Identifier: MIT
// expect:  wrong wrote-outside
// reason:  wrote 8 bytes before the start of P, of which the `work` line asks for 13068 bytes
// options: --size 48x33x99
//@ work P = T[K*N]

void gemm(int M, int N, int K, const float *A, const float *B, float *C, float *P)
{
    for (int i = 0; i < K * N; i++)
        P[i] = B[i];
    P[-2] = 1.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * P[k * N + j];
            C[i * N + j] = sum;
        }
}
