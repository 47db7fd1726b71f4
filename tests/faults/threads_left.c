// threads_left.c: is right, and leaves a thread spinning.
// SPDX-License-Identifier: MIT
// expect:  right -
// options: --size 96

#include <pthread.h>

static int started;

static void *spin(void *argument)
{
    for (volatile int turning = 1; turning;)
        continue;
    return argument;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
    }
    pthread_t thread;
    if (!started && pthread_create(&thread, 0, spin, 0) == 0)
        started = pthread_detach(thread) == 0;
}
