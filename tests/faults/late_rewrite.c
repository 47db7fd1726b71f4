// late_rewrite.c: is right when it returns; a thread of its own then clears one element. Only a
// look after the return sees it.
// SPDX-License-Identifier: MIT
// expect:  wrong late
// options: --size 96

#include <pthread.h>
#include <unistd.h>

static void *clear(void *element)
{
    usleep(1000);
    *(float *)element = 0.0f;
    return 0;
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
    if (pthread_create(&thread, 0, clear, C) == 0)
        pthread_detach(thread);
}
