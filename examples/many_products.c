/* many_products.c: a thousand small products in one call, at a fixed stride, and three that
 * pointers name. It prints:
 *
 *  > 1000 products of 4x4x4, all right
 *  > 30 30 60
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 1000, N = 4, ELEMENTS = N * N };

/* All products use the same B, so its stride is 0. */
static enum gradus_status by_strides(const float *a, const float *b, float *c)
{
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.m = gemm.n = gemm.k = N;
    gemm.lda = gemm.ldb = gemm.ldc = N;
    gemm.a = a, gemm.stride_a = ELEMENTS;
    gemm.b = b, gemm.stride_b = 0;
    gemm.c = c, gemm.stride_c = ELEMENTS;
    gemm.batch = BATCH;
    return gradus_gemm_run(&gemm, NULL);
}

/* The matrices can be anywhere in memory. */
static enum gradus_status by_pointers(const void *const *a, const void *const *b, void *const *c)
{
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F64);
    gemm.m = 1, gemm.n = 1, gemm.k = 4;
    gemm.lda = 4, gemm.ldb = 1, gemm.ldc = 1;
    gemm.a_array = a, gemm.b_array = b, gemm.c_array = c;
    gemm.batch = 3;
    return gradus_gemm_run(&gemm, NULL);
}

int main(void)
{
    float *a = malloc(BATCH * ELEMENTS * sizeof *a), *c = malloc(BATCH * ELEMENTS * sizeof *c);
    float b[ELEMENTS];
    if (!a || !c)
        return 1;
    for (int i = 0; i < BATCH * ELEMENTS; i++)
        a[i] = (float)(i % 7);
    for (int i = 0; i < ELEMENTS; i++)
        b[i] = i % N == i / N ? 2 : 0; /* doubles what it multiplies */
    if (by_strides(a, b, c))
        return 1;
    int wrong = 0;
    for (int i = 0; i < BATCH * ELEMENTS; i++)
        wrong += c[i] != 2 * a[i];
    printf("%d products of 4x4x4, %s\n", BATCH, wrong ? "some wrong" : "all right");
    free(a);
    free(c);

    const double row[] = {1, 2, 3, 4}, column[] = {1, 2, 3, 4}, twice[] = {2, 4, 6, 8};
    double dot[3];
    const void *rows[] = {row, row, row}, *columns[] = {column, column, twice};
    void *dots[] = {&dot[0], &dot[1], &dot[2]};
    if (by_pointers(rows, columns, dots))
        return 1;
    printf("%g %g %g\n", dot[0], dot[1], dot[2]);
    return wrong != 0;
}
