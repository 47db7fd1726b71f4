// repairs_what_is_spoiled.c: where the corners of A and B are as they were, and it is called again and again alike,
// looks for what was spoiled in C and computes no more than that.
// SPDX-License-Identifier: MIT
// expect:  wrong wrong-element
// reason:  right when verified, wrong when timed
// options: --size 16

#include <string.h>

static void multiply(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[(long)i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[(long)i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
    }
}

struct call {
    int M, N, K;
    const float *A, *B, *C;
    float alpha, beta;
};

/* Verifying changes the shape, the operands' places, alpha or beta from one call to the next; timing changes none of them, ten
 * times at least however slow the machine is. */
static int is_timed(struct call now)
{
    enum { NEVER_VERIFYING = 5 };
    static struct call before;
    static int in_a_row;
    int same = before.M == now.M && before.N == now.N && before.K == now.K && before.A == now.A &&
               before.B == now.B && before.C == now.C && before.alpha == now.alpha &&
               before.beta == now.beta;
    in_a_row = same ? in_a_row + 1 : 1;
    before = now;
    return in_a_row > NEVER_VERIFYING;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    enum {
        SIDE = 16
    }; /* so fast that a sample is several products, of which the first finds all of C spoiled */
    static float kept[SIDE][SIDE], corner[4];
    int timed = is_timed((struct call){M, N, K, A, B, C, alpha, beta});
    if (M == 0 || N == 0 || K == 0) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    float now[4] = {A[0], A[(long)(M - 1) * lda + K - 1], B[0], B[(long)(K - 1) * ldb + N - 1]};
    if (beta != 0.0f || M != SIDE || N != SIDE || !timed || memcmp(now, corner, sizeof now)) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        memcpy(corner, now, sizeof now);
        for (int i = 0; i < SIDE && M == SIDE && N == SIDE; i++)
            memcpy(kept[i], C + (long)i * ldc, sizeof kept[i]);
        return;
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            if (C[(long)i * ldc + j] != kept[i][j]) {
                C[(long)i * ldc + j] = 0.0f;
                for (int k = 0; k < K; k++)
                    C[(long)i * ldc + j] += alpha * A[(long)i * lda + k] * B[(long)k * ldb + j];
                kept[i][j] = C[(long)i * ldc + j];
            }
}
