// work_far.c: packs one row of B more than its `work` line asks for.
// SPDX-License-Identifier: MIT
// expect:  crash wrote-outside
// reason:  48x64x96: SIGSEGV: wrote past the end of P, of which the `work` line asks for 24576 bytes
// options: --size 48x64x96
//@ work P = T[K*N]

void gemm(int M, int N, int K, const float *A, const float *B, float *C, float *P)
{
    for (int k = 0; k <= K; k++)
        for (int j = 0; j < N; j++)
            P[k * N + j] = k < K ? B[k * N + j] : 0.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * P[k * N + j];
            C[i * N + j] = sum;
        }
}
