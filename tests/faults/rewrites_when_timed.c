// rewrites_when_timed.c: is right when it returns; once it was called more often than verifying takes, a thread of its own
// clears an element soon after. Only a look after the return sees it.
// SPDX-License-Identifier: MIT
// expect:  wrong -
// options: --size 256

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

static void *clear(void *element)
{
    usleep(300);
    *(float *)element = 0.0f;
    return 0;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    static int calls;
    multiply(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    pthread_t thread;
    if (++calls > 200 && pthread_create(&thread, 0, clear, C) == 0)
        pthread_detach(thread);
}
