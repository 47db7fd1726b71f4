/* fake_rocblas.c: rocBLAS and hipBLASLt for tests without a GPU, in one library: its matrices are
 * in the fake driver's memory, which is the host's, and its products are computed at once.
 * SPDX-License-Identifier: MIT
 *
 * GRADUS_FAKE_BLAS_WRONG=1 makes every product wrong by one element. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OP_T = 112, INVALID = 1 };

struct gemm {
    int trans_a, trans_b, m, n, k, lda, ldb, ldc;
    double alpha, beta;
};

/* Column-major. */
#define GEMM(name, type)                                                                           \
    static void name(const struct gemm *g, const type *a, const type *b, type *c)                  \
    {                                                                                              \
        for (int j = 0; j < g->n; j++)                                                             \
            for (int i = 0; i < g->m; i++) {                                                       \
                double sum = 0;                                                                    \
                for (int k = 0; k < g->k; k++)                                                     \
                    sum += (double)(g->trans_a == OP_T ? a[k + (size_t)i * (size_t)g->lda]         \
                                                       : a[i + (size_t)k * (size_t)g->lda]) *      \
                           (double)(g->trans_b == OP_T ? b[j + (size_t)k * (size_t)g->ldb]         \
                                                       : b[k + (size_t)j * (size_t)g->ldb]);       \
                type *out = &c[i + (size_t)j * (size_t)g->ldc];                                    \
                *out = (type)(g->alpha * sum + (g->beta != 0 ? g->beta * (double)*out : 0));       \
            }                                                                                      \
        if (getenv("GRADUS_FAKE_BLAS_WRONG"))                                                      \
            c[0] += 1;                                                                             \
    }
GEMM(multiply_f32, float)
GEMM(multiply_f64, double)

/* ---- rocBLAS ---- */

EXPORT int rocblas_create_handle(void **handle);
EXPORT int rocblas_set_stream(void *handle, void *stream);
EXPORT int rocblas_set_workspace(void *handle, void *workspace, size_t bytes);
EXPORT int rocblas_get_version_string(char *text, size_t size);
EXPORT int rocblas_sgemm(void *handle, int trans_a, int trans_b, int m, int n, int k,
                         const float *alpha, const float *a, int lda, const float *b, int ldb,
                         const float *beta, float *c, int ldc);
EXPORT int rocblas_dgemm(void *handle, int trans_a, int trans_b, int m, int n, int k,
                         const double *alpha, const double *a, int lda, const double *b, int ldb,
                         const double *beta, double *c, int ldc);

int rocblas_create_handle(void **handle)
{
    static int only;
    *handle = &only;
    return 0;
}

int rocblas_set_stream(void *handle, void *stream)
{
    return handle && stream ? 0 : INVALID;
}

int rocblas_set_workspace(void *handle, void *workspace, size_t bytes)
{
    return handle && workspace && bytes ? 0 : INVALID;
}

int rocblas_get_version_string(char *text, size_t size)
{
    snprintf(text, size, "4.2.0.fake");
    return 0;
}

int rocblas_sgemm(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                  const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                  int ldc)
{
    const struct gemm g = {trans_a, trans_b, m, n, k, lda, ldb, ldc, (double)*alpha, (double)*beta};
    (void)handle;
    multiply_f32(&g, a, b, c);
    return 0;
}

int rocblas_dgemm(void *handle, int trans_a, int trans_b, int m, int n, int k, const double *alpha,
                  const double *a, int lda, const double *b, int ldb, const double *beta, double *c,
                  int ldc)
{
    const struct gemm g = {trans_a, trans_b, m, n, k, lda, ldb, ldc, *alpha, *beta};
    (void)handle;
    multiply_f64(&g, a, b, c);
    return 0;
}

/* ---- hipBLASLt ---- */

struct descriptor {
    int trans[2];
    uint64_t rows, columns;
    int64_t ld;
};

struct algorithm {
    uint8_t data[16];
    size_t workspace_bytes;
};

struct heuristic {
    struct algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

EXPORT int hipblasLtCreate(void **handle);
EXPORT int hipblasLtGetVersion(void *handle, int *version);
EXPORT int hipblasLtMatmulDescCreate(struct descriptor **desc, int compute, int scale);
EXPORT int hipblasLtMatmulDescDestroy(struct descriptor *desc);
EXPORT int hipblasLtMatmulDescSetAttribute(struct descriptor *desc, int attribute,
                                           const void *value, size_t bytes);
EXPORT int hipblasLtMatrixLayoutCreate(struct descriptor **layout, int type, uint64_t rows,
                                       uint64_t columns, int64_t ld);
EXPORT int hipblasLtMatrixLayoutDestroy(struct descriptor *layout);
EXPORT int hipblasLtMatmulPreferenceCreate(struct descriptor **preference);
EXPORT int hipblasLtMatmulPreferenceDestroy(struct descriptor *preference);
EXPORT int hipblasLtMatmulPreferenceSetAttribute(struct descriptor *preference, int attribute,
                                                 const void *value, size_t bytes);
EXPORT int hipblasLtMatmulAlgoGetHeuristic(void *handle, struct descriptor *desc,
                                           struct descriptor *a, struct descriptor *b,
                                           struct descriptor *c, struct descriptor *d,
                                           struct descriptor *preference, int most,
                                           struct heuristic *results, int *count);
EXPORT int hipblasLtMatmul(void *handle, struct descriptor *desc, const float *alpha,
                           const float *a, struct descriptor *layout_a, const float *b,
                           struct descriptor *layout_b, const float *beta, const float *c,
                           struct descriptor *layout_c, float *d, struct descriptor *layout_d,
                           const struct algorithm *algorithm, void *workspace,
                           size_t workspace_bytes, void *stream);

static int make(struct descriptor **made)
{
    *made = calloc(1, sizeof **made);
    return *made ? 0 : INVALID;
}

int hipblasLtCreate(void **handle)
{
    return rocblas_create_handle(handle);
}

int hipblasLtGetVersion(void *handle, int *version)
{
    *version = 1002 * 100;
    return handle ? 0 : INVALID;
}

int hipblasLtMatmulDescCreate(struct descriptor **desc, int compute, int scale)
{
    return compute == 2 && scale == 0 ? make(desc) : INVALID;
}

int hipblasLtMatmulDescDestroy(struct descriptor *desc)
{
    free(desc);
    return 0;
}

int hipblasLtMatmulDescSetAttribute(struct descriptor *desc, int attribute, const void *value,
                                    size_t bytes)
{
    if (attribute < 0 || attribute > 1 || bytes != sizeof desc->trans[0])
        return INVALID;
    memcpy(&desc->trans[attribute], value, bytes);
    return 0;
}

int hipblasLtMatrixLayoutCreate(struct descriptor **layout, int type, uint64_t rows,
                                uint64_t columns, int64_t ld)
{
    if (type != 0 || ld < (int64_t)rows || make(layout) != 0)
        return INVALID;
    **layout = (struct descriptor){.rows = rows, .columns = columns, .ld = ld};
    return 0;
}

int hipblasLtMatrixLayoutDestroy(struct descriptor *layout)
{
    return hipblasLtMatmulDescDestroy(layout);
}

int hipblasLtMatmulPreferenceCreate(struct descriptor **preference)
{
    return make(preference);
}

int hipblasLtMatmulPreferenceDestroy(struct descriptor *preference)
{
    return hipblasLtMatmulDescDestroy(preference);
}

int hipblasLtMatmulPreferenceSetAttribute(struct descriptor *preference, int attribute,
                                          const void *value, size_t bytes)
{
    return preference && attribute == 1 && value && bytes == sizeof(uint64_t) ? 0 : INVALID;
}

/* Matrices that do not fit together have no algorithm. */
int hipblasLtMatmulAlgoGetHeuristic(void *handle, struct descriptor *desc, struct descriptor *a,
                                    struct descriptor *b, struct descriptor *c,
                                    struct descriptor *d, struct descriptor *preference, int most,
                                    struct heuristic *results, int *count)
{
    const bool ta = desc->trans[0] == OP_T, tb = desc->trans[1] == OP_T;
    const bool fits = (ta ? a->columns : a->rows) == c->rows &&
                      (tb ? b->rows : b->columns) == c->columns &&
                      (ta ? a->rows : a->columns) == (tb ? b->columns : b->rows);
    *count = handle && preference && c == d && most >= 1 && fits;
    memset(results, 0, sizeof *results);
    results->algorithm.data[0] = 42;
    return 0;
}

int hipblasLtMatmul(void *handle, struct descriptor *desc, const float *alpha, const float *a,
                    struct descriptor *layout_a, const float *b, struct descriptor *layout_b,
                    const float *beta, const float *c, struct descriptor *layout_c, float *d,
                    struct descriptor *layout_d, const struct algorithm *algorithm, void *workspace,
                    size_t workspace_bytes, void *stream)
{
    const bool ta = desc->trans[0] == OP_T;
    if (!handle || c != d || layout_c != layout_d || algorithm->data[0] != 42 || !workspace ||
        !workspace_bytes || !stream)
        return INVALID;
    const struct gemm g = {desc->trans[0],
                           desc->trans[1],
                           (int)layout_c->rows,
                           (int)layout_c->columns,
                           (int)(ta ? layout_a->rows : layout_a->columns),
                           (int)layout_a->ld,
                           (int)layout_b->ld,
                           (int)layout_c->ld,
                           (double)*alpha,
                           (double)*beta};
    multiply_f32(&g, a, b, d);
    return 0;
}
