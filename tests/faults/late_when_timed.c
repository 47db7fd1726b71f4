// late_when_timed.c: once it is called again and again alike, as timing does, leaves the last row to a thread.
// SPDX-License-Identifier: MIT
// expect:  wrong -
// reason:  right when verified, wrong when timed
// options: --size 96

#include <pthread.h>
#include <unistd.h>

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

struct row {
    int N, K, lda, ldb;
    const float *A, *B;
    float *C;
};

static void *last_row(void *argument)
{
    static struct row r;
    r = *(struct row *)argument;
    usleep(30);
    multiply(1, r.N, r.K, 1.0f, r.A, r.lda, r.B, r.ldb, 0.0f, r.C, r.N);
    return 0;
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
    static struct row rest;
    if (!is_timed((struct call){M, N, K, A, B, C, alpha, beta}) || alpha != 1.0f || beta != 0.0f) {
        multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    M--;
    multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    rest = (struct row){N, K, lda, ldb, A + (long)M * lda, B, C + (long)M * ldc};
    pthread_t thread;
    if (pthread_create(&thread, 0, last_row, &rest) == 0)
        pthread_detach(thread);
}
