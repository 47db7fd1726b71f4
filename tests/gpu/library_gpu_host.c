/* library_gpu_host.c: operands in host memory. SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <math.h>
#include <stdlib.h>

/* In several panels; some elements against float64, and the rate. */
void check_host_operands(void)
{
    enum { M = 3000, N = 9001, K = 700, TRIES = 3, SAMPLES = 20000 };
    float *a = malloc(sizeof *a * M * K), *b = malloc(sizeof *b * K * N);
    float *c = malloc(sizeof *c * M * N);
    struct gradus_gemm g;
    struct gradus_error error = {0};
    double us = 0, worst = 0;
    const uint64_t before = state; /* the random products that follow are the same without this */
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(2 * uniform() - 1);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(2 * uniform() - 1);
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = M, g.n = N, g.k = K;
    g.a = a, g.lda = K, g.b = b, g.ldb = N, g.c = c, g.ldc = N;
    g.device = GRADUS_GPU;
    for (int i = 0; i < TRIES; i++) {
        const double start = now_us();
        CHECK(gradus_gemm_run(&g, &error) == GRADUS_OK, "%s", error.text);
        us = now_us() - start;
    }
    for (int s = 0; s < SAMPLES; s++) {
        const int64_t i = (int64_t)(draw() % M), j = (int64_t)(draw() % N);
        double sum = 0, all = 0;
        for (int64_t k = 0; k < K; k++) {
            sum += (double)a[i * K + k] * b[k * N + j];
            all += fabs((double)a[i * K + k] * b[k * N + j]);
        }
        worst = fmax(worst, fabs(c[i * N + j] - sum) / (0x1p-23 * all));
    }
    CHECK(worst <= bound_of(&g), "operands in host memory: the largest error is %.3g", worst);
    printf("operands in host memory: %dx%dx%d in %.1f ms, %.2f TFLOP/s, error %.2f\n", M, N, K,
           us / 1e3, 2.0 * M * N * K / us / 1e6, worst);
    state = before;
    gradus_error_clear(&error);
    free(a), free(b), free(c);
}
