/* cblas_batch.c: cblas_sgemm_batch (groups of products, by arrays of pointers), cblas_sgemm_batch_strided, the same for
 * double, and all with integers of 64 bits. SPDX-License-Identifier: MIT
 *
 * All arguments are judged before anything is computed. Their numbers are those of the declaration in either layout,
 * so RowMajorStrg is 0 when they are reported. */
#include "blas/cblas_errors.h"

#include <string.h>

/* Arguments of cblas_?gemm_batch, an array element a group; those after the pointers have one a product. Integers are
 * int or int64_t, alpha and beta float or double. */
struct groups {
    struct cblas_caller caller;
    const char *symbol;
    enum gradus_type type;
    CBLAS_LAYOUT layout;
    const CBLAS_TRANSPOSE *trans_a, *trans_b;
    const void *m, *n, *k, *alpha, *beta, *lda, *ldb, *ldc, *size;
    const void *a, *b, *c; /* arrays of pointers */
    int64_t count;
};

static int64_t integer(const struct groups *g, const void *array, int64_t i)
{
    return g->caller.wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

static double number(const struct groups *g, const void *array, int64_t i)
{
    return g->type == GRADUS_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* Pointers to float and to double are read as what they are in memory. */
static void *pointer(const void *array, int64_t i)
{
    void *p;
    memcpy(&p, (const char *)array + i * (int64_t)sizeof p, sizeof p);
    return p;
}

/* The products of a group, less their matrices. */
static struct blas_gemm product_of(const struct groups *g, int64_t i)
{
    return (struct blas_gemm){
        {
            .type = g->type,
            .trans_a = gr_cblas_trans(g->trans_a[i]),
            .trans_b = gr_cblas_trans(g->trans_b[i]),
            .m = integer(g, g->m, i),
            .n = integer(g, g->n, i),
            .k = integer(g, g->k, i),
            .alpha = number(g, g->alpha, i),
            .beta = number(g, g->beta, i),
            .lda = integer(g, g->lda, i),
            .ldb = integer(g, g->ldb, i),
            .ldc = integer(g, g->ldc, i),
        },
        .routine = g->symbol,
    };
}

/* The number of the first bad argument among those that cblas_?gemm has too, numbered as there, or 0. */
static int bad_argument(bool row_major, const struct blas_gemm *as_given)
{
    if (as_given->gemm.trans_a < 0)
        return 2;
    if (as_given->gemm.trans_b < 0)
        return 3;
    const struct blas_gemm gemm = row_major ? gr_blas_exchanged(as_given) : *as_given;
    const int info = gr_blas_check(&gemm);
    if (!info)
        return 0;
    return row_major ? gr_cblas_exchanged_number(info + 1) : info + 1;
}

static bool is_layout(CBLAS_LAYOUT layout)
{
    return layout == CblasRowMajor || layout == CblasColMajor;
}

static void multiply(CBLAS_LAYOUT layout, const struct blas_gemm *as_given)
{
    const struct blas_gemm gemm = layout == CblasRowMajor ? gr_blas_exchanged(as_given) : *as_given;
    gr_blas_run(&gemm);
}

/* Reports the first bad argument. */
static bool groups_are_good(const struct groups *g)
{
    if (!is_layout(g->layout)) {
        gr_cblas_report(&g->caller, false, 1, GR_CBLAS_BAD_LAYOUT, (int)g->layout);
        return false;
    }
    if (g->count < 0) {
        gr_cblas_report(&g->caller, false, 15, "", 0);
        return false;
    }
    for (int64_t i = 0; i < g->count; i++) {
        const struct blas_gemm gemm = product_of(g, i);
        int bad = bad_argument(g->layout == CblasRowMajor, &gemm);
        if (!bad && integer(g, g->size, i) < 0)
            bad = 16;
        if (bad) {
            gr_cblas_report(&g->caller, false, bad, "in group %d, counted from 0\n", (int)i);
            return false;
        }
    }
    return true;
}

static void run_groups(const struct groups *g)
{
    if (!groups_are_good(g))
        return;
    int64_t first = 0;
    for (int64_t i = 0; i < g->count; i++) {
        struct blas_gemm gemm = product_of(g, i);
        const int64_t end = first + integer(g, g->size, i);
        for (; first < end; first++) {
            gemm.gemm.a = pointer(g->a, first);
            gemm.gemm.b = pointer(g->b, first);
            gemm.gemm.c = pointer(g->c, first);
            multiply(g->layout, &gemm);
        }
    }
}

struct strided {
    struct cblas_caller caller;
    CBLAS_LAYOUT layout;
    int64_t stride_a, stride_b, stride_c, count;
};

/* Three strides stand between the leading dimensions of cblas_?gemm. */
static int strided_number(int number)
{
    return number >= 14 ? number + 2 : number >= 11 ? number + 1 : number;
}

static bool strided_is_good(const struct strided *s, const struct blas_gemm *gemm)
{
    int bad = is_layout(s->layout) ? 0 : 1;
    if (!bad)
        bad = strided_number(bad_argument(s->layout == CblasRowMajor, gemm));
    if (!bad && s->count > 1 && s->stride_c == 0 && gemm->gemm.m && gemm->gemm.n)
        bad = 17; /* several products into one C */
    if (!bad && s->count < 0)
        bad = 18;
    if (bad)
        gr_cblas_report(&s->caller, false, bad, bad == 1 ? GR_CBLAS_BAD_LAYOUT : "",
                        (int)s->layout);
    return !bad;
}

/* Null stays null: with alpha 0 there need not be an A. */
static void *moved(const void *first, int64_t bytes)
{
    return first ? (char *)first + bytes : NULL;
}

static void run_strided(const struct strided *s, const struct blas_gemm *first)
{
    if (!strided_is_good(s, first))
        return;
    const int64_t bytes = first->gemm.type == GRADUS_F32 ? 4 : 8;
    struct blas_gemm gemm = *first;
    for (int64_t i = 0; i < s->count; i++) {
        gemm.gemm.a = moved(first->gemm.a, i * s->stride_a * bytes);
        gemm.gemm.b = moved(first->gemm.b, i * s->stride_b * bytes);
        gemm.gemm.c = moved(first->gemm.c, i * s->stride_c * bytes);
        multiply(s->layout, &gemm);
    }
}

#define CBLAS_BATCH(name, T, TYPE, INT, ROUTINE)                                                   \
    void name(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *trans_a, const CBLAS_TRANSPOSE *trans_b, \
              const INT *m, const INT *n, const INT *k, const T *alpha, const T **a,               \
              const INT *lda, const T **b, const INT *ldb, const T *beta, T **c, const INT *ldc,   \
              INT group_count, const INT *group_size)                                              \
    {                                                                                              \
        run_groups(&(struct groups){.caller = {ROUTINE, sizeof(INT) == 8},                         \
                                    .symbol = #name,                                               \
                                    .type = TYPE,                                                  \
                                    .layout = layout,                                              \
                                    .trans_a = trans_a,                                            \
                                    .trans_b = trans_b,                                            \
                                    .m = m,                                                        \
                                    .n = n,                                                        \
                                    .k = k,                                                        \
                                    .alpha = alpha,                                                \
                                    .beta = beta,                                                  \
                                    .lda = lda,                                                    \
                                    .ldb = ldb,                                                    \
                                    .ldc = ldc,                                                    \
                                    .size = group_size,                                            \
                                    .a = a,                                                        \
                                    .b = b,                                                        \
                                    .c = c,                                                        \
                                    .count = group_count});                                        \
    }

CBLAS_BATCH(cblas_sgemm_batch, float, GRADUS_F32, int, "cblas_sgemm_batch")
CBLAS_BATCH(cblas_dgemm_batch, double, GRADUS_F64, int, "cblas_dgemm_batch")
CBLAS_BATCH(cblas_sgemm_batch64_, float, GRADUS_F32, int64_t, "cblas_sgemm_batch")
CBLAS_BATCH(cblas_dgemm_batch64_, double, GRADUS_F64, int64_t, "cblas_dgemm_batch")

#define CBLAS_STRIDED(name, T, TYPE, INT, ROUTINE)                                                 \
    void name(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, INT m, INT n, \
              INT k, T alpha, const T *a, INT lda, INT stride_a, const T *b, INT ldb,              \
              INT stride_b, T beta, T *c, INT ldc, INT stride_c, INT batch_size)                   \
    {                                                                                              \
        run_strided(                                                                               \
            &(struct strided){                                                                     \
                {ROUTINE, sizeof(INT) == 8}, layout, stride_a, stride_b, stride_c, batch_size},    \
            &(struct blas_gemm){{TYPE, gr_cblas_trans(trans_a), gr_cblas_trans(trans_b), m, n, k,  \
                                 alpha, beta, a, b, c, lda, ldb, ldc},                             \
                                #name,                                                             \
                                0});                                                               \
    }

CBLAS_STRIDED(cblas_sgemm_batch_strided, float, GRADUS_F32, int, "cblas_sgemm_batch_strided")
CBLAS_STRIDED(cblas_dgemm_batch_strided, double, GRADUS_F64, int, "cblas_dgemm_batch_strided")
CBLAS_STRIDED(cblas_sgemm_batch_strided64_, float, GRADUS_F32, int64_t, "cblas_sgemm_batch_strided")
CBLAS_STRIDED(cblas_dgemm_batch_strided64_, double, GRADUS_F64, int64_t,
              "cblas_dgemm_batch_strided")
