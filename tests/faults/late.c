// late.c: returns while a thread of its own still has the last row to write.
// SPDX-License-Identifier: MIT
// expect:  wrong late
// options: --size 96

#include <pthread.h>
#include <unistd.h>

struct rest {
    int N, K, lda, ldb;
    float alpha, beta;
    const float *A, *B;
    float *row;
    int i;
};

static void *last_row(void *argument)
{
    struct rest r = *(struct rest *)argument;
    usleep(20000);
    for (int j = 0; j < r.N; j++) {
        float sum = 0.0f;
        for (int k = 0; k < r.K; k++)
            sum += r.A[(long)r.i * r.lda + k] * r.B[(long)k * r.ldb + j];
        r.row[j] = r.beta == 0.0f ? r.alpha * sum : r.alpha * sum + r.beta * r.row[j];
    }
    return 0;
}

void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
          float beta, float *C, int ldc)
{
    M--;
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++)
            C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        for (int k = 0; k < K; k++)
            for (int j = 0; j < N; j++)
                C[i * ldc + j] += alpha * A[i * lda + k] * B[k * ldb + j];
    }
    static struct rest rest;
    rest = (struct rest){N, K, lda, ldb, alpha, beta, A, B, C + (long)M * ldc, M};
    pthread_t thread;
    if (pthread_create(&thread, 0, last_row, &rest) == 0)
        pthread_detach(thread);
}
