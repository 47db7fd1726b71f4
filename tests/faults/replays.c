// replays.c: keeps its first result and hands it out for the same operands, whatever they hold by
// then: fast, and wrong.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// options: --size 96

static float kept[512][512];
static const float *last_a, *last_b;

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    if (A != last_a || B != last_b || M > 512 || N > 512) {
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++)
                C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
            for (int k = 0; k < K; k++)
                for (int j = 0; j < N; j++)
                    C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
        }
        last_a = A;
        last_b = B;
        for (int i = 0; i < M && i < 512; i++)
            for (int j = 0; j < N && j < 512; j++)
                kept[i][j] = C[i * ldc + j];
        return;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = kept[i][j];
}
