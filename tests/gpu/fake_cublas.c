/* fake_cublas.c: cuBLAS and cuBLASLt for tests without a GPU, in one library: its matrices are in
 * the fake driver's memory, which is the host's, and its products are computed at once. The numbers
 * are those of cublas_api.h, cublasLt.h and library_types.h. SPDX-License-Identifier: MIT
 *
 *   GRADUS_FAKE_BLAS_WRONG=1     every product is wrong by one element
 *   GRADUS_FAKE_LT_LOG=FILE      each product of cuBLASLt appends "algorithm N", and ", fast sums"
 * if FAST_ACCUM is set Of the algorithms that cuBLASLt proposes the second is fast, the third
 * cannot be run, and the first takes 30 ms more where there is a log. */
#include "check/element.h"

#include "check/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
enum { OP_T = 1, INVALID = 7, NOT_SUPPORTED = 15 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77 };
enum { MATH_DEFAULT = 0, MATH_PEDANTIC = 2, MATH_TF32 = 3 };
enum { PROPOSED = 3, SLOW = 41, FAST = 42, BROKEN = 43 };

struct gemm {
    int trans_a, trans_b;
    enum gr_dtype type_a, type_b, type_c;
    int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
    bool tf32;
};

static bool type_of(int number, enum gr_dtype *type)
{
    static const struct {
        int number;
        enum gr_dtype type;
    } types[] = {{0, GR_F32},   {1, GR_F64},   {2, GR_F16},
                 {14, GR_BF16}, {28, GR_E4M3}, {29, GR_E5M2}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number == number) {
            *type = types[i].type;
            return true;
        }
    return false;
}

static double factor(const struct gemm *g, enum gr_dtype type, const void *x, int64_t i)
{
    double value = gr_element(type, x, i);
    return g->tf32 ? gr_round_to(GR_TF32, value) : value;
}

/* Column-major. */
static void multiply(const struct gemm *g, const void *a, const void *b, void *c)
{
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            const int64_t at = i + j * g->ldc;
            double sum = 0;
            for (int64_t k = 0; k < g->k; k++)
                sum +=
                    factor(g, g->type_a, a, g->trans_a == OP_T ? k + i * g->lda : i + k * g->lda) *
                    factor(g, g->type_b, b, g->trans_b == OP_T ? j + k * g->ldb : k + j * g->ldb);
            sum = g->alpha * sum + (g->beta != 0 ? g->beta * gr_element(g->type_c, c, at) : 0);
            gr_element_put(g->type_c, c, at, sum);
        }
    if (getenv("GRADUS_FAKE_BLAS_WRONG"))
        gr_element_put(g->type_c, c, 0, gr_element(g->type_c, c, 0) + 1);
}

/* ---- cuBLAS ---- */

static int math = MATH_DEFAULT;

EXPORT int cublasCreate_v2(void **handle);
EXPORT int cublasSetStream_v2(void *handle, void *stream);
EXPORT int cublasSetMathMode(void *handle, int mode);
EXPORT int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
EXPORT int cublasGetProperty(int property, int *value);
EXPORT int cublasSgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k,
                          const float *alpha, const float *a, int lda, const float *b, int ldb,
                          const float *beta, float *c, int ldc);
EXPORT int cublasDgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k,
                          const double *alpha, const double *a, int lda, const double *b, int ldb,
                          const double *beta, double *c, int ldc);
EXPORT int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k,
                        const void *alpha, const void *a, int a_type, int lda, const void *b,
                        int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                        int compute, int algorithm);

int cublasCreate_v2(void **handle)
{
    static int only;
    *handle = &only;
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream)
{
    return handle && stream ? 0 : INVALID;
}

int cublasSetMathMode(void *handle, int mode)
{
    math = mode;
    return handle ? 0 : INVALID;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
    return handle && workspace && bytes ? 0 : INVALID;
}

int cublasGetProperty(int property, int *value)
{
    *value = property == 0 ? 13 : 0;
    return 0;
}

int cublasSgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc)
{
    const struct gemm g = {
        trans_a, trans_b, GR_F32,         GR_F32,        GR_F32,           m, n, k, lda,
        ldb,     ldc,     (double)*alpha, (double)*beta, math == MATH_TF32};
    (void)handle;
    multiply(&g, a, b, c);
    return 0;
}

/* The tensor cores are not used in the pedantic mode, as in cuBLAS; here that is an error. */
int cublasDgemm_v2(void *handle, int trans_a, int trans_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc)
{
    const struct gemm g = {trans_a, trans_b, GR_F64, GR_F64, GR_F64, m,     n,
                           k,       lda,     ldb,    ldc,    *alpha, *beta, false};
    if (!handle || math != MATH_DEFAULT)
        return NOT_SUPPORTED;
    multiply(&g, a, b, c);
    return 0;
}

/* As above. */
int cublasGemmEx(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                 const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                 const void *beta, void *c, int c_type, int ldc, int compute, int algorithm)
{
    struct gemm g = {trans_a, trans_b, GR_F32, GR_F32, GR_F32, m, n, k, lda, ldb, ldc, 0, 0, false};
    const bool narrow = a_type == b_type && (a_type == 2 || a_type == 14);
    if (!handle || algorithm != -1 || compute != COMPUTE_32F || math != MATH_DEFAULT || !narrow ||
        (c_type != 0 && c_type != a_type) || !type_of(a_type, &g.type_a) ||
        !type_of(b_type, &g.type_b) || !type_of(c_type, &g.type_c))
        return NOT_SUPPORTED;
    g.alpha = (double)*(const float *)alpha;
    g.beta = (double)*(const float *)beta;
    multiply(&g, a, b, c);
    return 0;
}

/* ---- cuBLASLt ---- */

struct descriptor {
    int trans[2], compute;
    signed char fast_sums;
    enum gr_dtype type;
    uint64_t rows, columns;
    int64_t ld;
    uint64_t workspace_bytes;
    uint32_t alignment[4];
};

struct heuristic {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

EXPORT int cublasLtCreate(void **handle);
EXPORT int cublasLtGetProperty(int property, int *value);
EXPORT int cublasLtMatmulDescCreate(struct descriptor **desc, int compute, int scale);
EXPORT int cublasLtMatmulDescDestroy(struct descriptor *desc);
EXPORT int cublasLtMatmulDescSetAttribute(struct descriptor *desc, int attribute, const void *value,
                                          size_t bytes);
EXPORT int cublasLtMatrixLayoutCreate(struct descriptor **layout, int type, uint64_t rows,
                                      uint64_t columns, int64_t ld);
EXPORT int cublasLtMatrixLayoutDestroy(struct descriptor *layout);
EXPORT int cublasLtMatmulPreferenceCreate(struct descriptor **preference);
EXPORT int cublasLtMatmulPreferenceDestroy(struct descriptor *preference);
EXPORT int cublasLtMatmulPreferenceSetAttribute(struct descriptor *preference, int attribute,
                                                const void *value, size_t bytes);
EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, struct descriptor *desc,
                                          struct descriptor *a, struct descriptor *b,
                                          struct descriptor *c, struct descriptor *d,
                                          struct descriptor *preference, int most,
                                          struct heuristic *results, int *count);
EXPORT int cublasLtMatmul(void *handle, struct descriptor *desc, const void *alpha, const void *a,
                          struct descriptor *layout_a, const void *b, struct descriptor *layout_b,
                          const void *beta, const void *c, struct descriptor *layout_c, void *d,
                          struct descriptor *layout_d, const uint64_t *algorithm, void *workspace,
                          size_t workspace_bytes, void *stream);

static int make(struct descriptor **made)
{
    *made = calloc(1, sizeof **made);
    return *made ? 0 : INVALID;
}

int cublasLtCreate(void **handle)
{
    return cublasCreate_v2(handle);
}

int cublasLtGetProperty(int property, int *value)
{
    return cublasGetProperty(property, value);
}

int cublasLtMatmulDescCreate(struct descriptor **desc, int compute, int scale)
{
    const bool known =
        compute == COMPUTE_64F
            ? scale == 1
            : (compute == COMPUTE_32F || compute == COMPUTE_32F_FAST_TF32) && scale == 0;
    if (!known || make(desc) != 0)
        return NOT_SUPPORTED;
    (*desc)->compute = compute;
    return 0;
}

int cublasLtMatmulDescDestroy(struct descriptor *desc)
{
    free(desc);
    return 0;
}

int cublasLtMatmulDescSetAttribute(struct descriptor *desc, int attribute, const void *value,
                                   size_t bytes)
{
    if (attribute == 25 && bytes == sizeof desc->fast_sums) {
        memcpy(&desc->fast_sums, value, bytes);
        return 0;
    }
    if (attribute < 3 || attribute > 4 || bytes != sizeof desc->trans[0])
        return INVALID;
    memcpy(&desc->trans[attribute - 3], value, bytes);
    return 0;
}

int cublasLtMatrixLayoutCreate(struct descriptor **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t ld)
{
    enum gr_dtype known;
    if (!type_of(type, &known) || ld < (int64_t)rows || make(layout) != 0)
        return INVALID;
    **layout = (struct descriptor){.type = known, .rows = rows, .columns = columns, .ld = ld};
    return 0;
}

int cublasLtMatrixLayoutDestroy(struct descriptor *layout)
{
    return cublasLtMatmulDescDestroy(layout);
}

int cublasLtMatmulPreferenceCreate(struct descriptor **preference)
{
    return make(preference);
}

int cublasLtMatmulPreferenceDestroy(struct descriptor *preference)
{
    return cublasLtMatmulDescDestroy(preference);
}

int cublasLtMatmulPreferenceSetAttribute(struct descriptor *preference, int attribute,
                                         const void *value, size_t bytes)
{
    if (attribute == 1 && bytes == sizeof preference->workspace_bytes)
        memcpy(&preference->workspace_bytes, value, bytes);
    else if (attribute >= 5 && attribute <= 8 && bytes == sizeof preference->alignment[0])
        memcpy(&preference->alignment[attribute - 5], value, bytes);
    else
        return INVALID;
    return 0;
}

/* Of 8-bit numbers there is only op(A) transposed times op(B) not transposed, in rows of multiples
 * of 16 bytes, and not of e5m2 with e5m2; and of others no FAST_ACCUM. */
static bool has_types(const struct descriptor *desc, const struct descriptor *a,
                      const struct descriptor *b, const struct descriptor *c)
{
    if (gr_dtype_bytes(a->type) != 1)
        return !desc->fast_sums && a->type == b->type && (c->type == a->type || c->type == GR_F32);
    return desc->trans[0] == OP_T && desc->trans[1] != OP_T && a->ld % 16 == 0 && b->ld % 16 == 0 &&
           c->rows % 16 == 0 && a->rows % 16 == 0 && !(a->type == GR_E5M2 && b->type == GR_E5M2) &&
           (c->type == GR_F32 || c->type == GR_BF16);
}

/* Matrices that do not fit together have no algorithm. */
int cublasLtMatmulAlgoGetHeuristic(void *handle, struct descriptor *desc, struct descriptor *a,
                                   struct descriptor *b, struct descriptor *c, struct descriptor *d,
                                   struct descriptor *preference, int most,
                                   struct heuristic *results, int *count)
{
    const bool ta = desc->trans[0] == OP_T, tb = desc->trans[1] == OP_T;
    const bool fits = (ta ? a->columns : a->rows) == c->rows &&
                      (tb ? b->rows : b->columns) == c->columns &&
                      (ta ? a->rows : a->columns) == (tb ? b->columns : b->rows);
    *count = 0;
    if (!handle || c != d || most < PROPOSED || !preference->workspace_bytes ||
        !preference->alignment[0] || !preference->alignment[3])
        return INVALID;
    if (!fits || !has_types(desc, a, b, c))
        return NOT_SUPPORTED;
    memset(results, 0, PROPOSED * sizeof *results);
    for (int i = 0; i < PROPOSED; i++)
        results[i].algorithm[0] = (uint64_t)(SLOW + i);
    *count = PROPOSED;
    return 0;
}

static void log_algorithm(int algorithm, bool fast_sums)
{
    const char *path = getenv("GRADUS_FAKE_LT_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "algorithm %d%s\n", algorithm, fast_sums ? ", fast sums" : "");
        fclose(file);
    }
}

int cublasLtMatmul(void *handle, struct descriptor *desc, const void *alpha, const void *a,
                   struct descriptor *layout_a, const void *b, struct descriptor *layout_b,
                   const void *beta, const void *c, struct descriptor *layout_c, void *d,
                   struct descriptor *layout_d, const uint64_t *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream)
{
    const bool ta = desc->trans[0] == OP_T, f64 = desc->compute == COMPUTE_64F;
    const int number = (int)algorithm[0];
    if (!handle || c != d || layout_c != layout_d || number < SLOW || number > BROKEN ||
        !workspace || !workspace_bytes || !stream)
        return INVALID;
    log_algorithm(number, desc->fast_sums);
    if (number == BROKEN)
        return NOT_SUPPORTED;
    if (number == SLOW && getenv("GRADUS_FAKE_LT_LOG"))
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    const struct gemm g = {desc->trans[0],
                           desc->trans[1],
                           layout_a->type,
                           layout_b->type,
                           layout_c->type,
                           (int64_t)layout_c->rows,
                           (int64_t)layout_c->columns,
                           (int64_t)(ta ? layout_a->rows : layout_a->columns),
                           layout_a->ld,
                           layout_b->ld,
                           layout_c->ld,
                           f64 ? *(const double *)alpha : (double)*(const float *)alpha,
                           f64 ? *(const double *)beta : (double)*(const float *)beta,
                           desc->compute == COMPUTE_32F_FAST_TF32};
    multiply(&g, a, b, d);
    return 0;
}
