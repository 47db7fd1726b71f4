/* gemm_plain.c: small products that need nothing beyond BLAS, on the shortest path.
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/gemm_choice.h"
#include "cpu/operands.h"

#include <limits.h>

/* Above this the cost of a call does not matter; below it no sizes and distances overflow, and each
 * size takes 14 bits. */
enum { LONGEST = 1 << 14, FARTHEST = 1 << 30 };

/* One comparison for all sizes and one for all leading dimensions, and those are not negative then.
 */
static bool is_plain(const struct gr_plain_gemm *g)
{
    const uint64_t m = (uint64_t)g->m, n = (uint64_t)g->n, k = (uint64_t)g->k;
    const uint64_t lda = (uint64_t)g->lda, ldb = (uint64_t)g->ldb, ldc = (uint64_t)g->ldc;
    const bool small = ((m - 1) | (n - 1) | (k - 1)) < LONGEST, near = (lda | ldb | ldc) < FARTHEST;
    const bool long_enough =
        (lda >= (g->trans_a ? k : m)) & (ldb >= (g->trans_b ? n : k)) & (ldc >= m);
    return small & near & long_enough && (unsigned)(g->trans_a | g->trans_b) <= 1 &&
           g->alpha != 0 && g->a && g->b && g->c;
}

static inline void set_number(union gr_number *number, const struct gr_plain_gemm *g, double x)
{
    if (g->type == GRADUS_F32)
        number->f32 = (float)x;
    else
        number->f64 = x;
}

/* What the choice depends on: the sizes, of which none is 0, and the strides. A leading dimension
 * of 1 makes a row or a column contiguous in both directions. */
static inline uint64_t shape_of(const struct gr_plain_gemm *g)
{
    uint64_t strides = g->type != GRADUS_F32;
    strides = 2 * strides + (unsigned)g->trans_a;
    strides = 2 * strides + (unsigned)g->trans_b;
    strides = 2 * strides + ((uint64_t)g->lda < 2);
    strides = 2 * strides + ((uint64_t)g->ldb < 2);
    strides = 2 * strides + ((uint64_t)g->ldc < 2);
    return (uint64_t)g->m + ((uint64_t)g->n << 14) + ((uint64_t)g->k << 28) + (strides << 43);
}

/* Describing so small a product in a struct gr_product would take a third of the time of 8x8x8. The
 * column-major product is the row-major C' = B' A'. */
static inline __attribute__((always_inline)) void in_one_call(const struct gr_plain_gemm *g,
                                                              const struct ukr *u, unsigned bits)
{
    const struct gr_small_choice choice = gr_choice_of(bits);
    const int64_t m = g->n, n = g->m;
    union gr_number alpha, beta;
    set_number(&alpha, g, g->alpha);
    set_number(&beta, g, g->beta);
    const int64_t a_row = g->trans_b ? 1 : g->ldb, a_col = g->trans_b ? g->ldb : 1;
    const int64_t b_row = g->trans_a ? 1 : g->lda, b_col = g->trans_a ? g->lda : 1;
    const enum gr_dtype type = g->type == GRADUS_F32 ? GR_F32 : GR_F64;
    if (choice.direction == GR_ALONG_ROWS)
        gr_ukr_for(u, type, n)
            ->run_strided(&(struct ukr_strided){m, n, g->k, &alpha, g->b, a_row, a_col, g->a, b_row,
                                                &beta, g->c, g->ldc});
    else if (choice.direction == GR_ALONG_COLUMNS)
        gr_gemm_columns_in_place(gr_ukr_for(u, type, m),
                                 &(struct ukr_strided){n, m, g->k, &alpha, g->a, b_col, b_row, g->b,
                                                       a_col, &beta, g->c, g->ldc});
    else if (choice.exchanged)
        gr_ukr_for_dots(u, type, g->k)
            ->run_dots(n, m, g->k, &alpha, g->a, b_col, g->b, a_row, &beta, g->c, 1, g->ldc);
    else
        gr_ukr_for_dots(u, type, g->k)
            ->run_dots(m, n, g->k, &alpha, g->b, a_row, g->a, b_col, &beta, g->c, g->ldc, 1);
}

/* The column-major product as the row-major C' = B' A'. */
static void describe(const struct gr_plain_gemm *g, struct gr_product *p)
{
    const int64_t bytes = g->type == GRADUS_F32 ? 4 : 8;
    p->a_type = p->b_type = p->c_type = p->sum_type = g->type;
    p->bytes = p->a_bytes = p->b_bytes = p->c_bytes = bytes;
    p->m = g->n;
    p->n = g->m;
    p->k = g->k;
    p->a = g->b;
    p->b = g->a;
    p->c = g->c;
    p->a_row = g->trans_b ? 1 : g->ldb;
    p->a_col = g->trans_b ? g->ldb : 1;
    p->b_row = g->trans_a ? 1 : g->lda;
    p->b_col = g->trans_a ? g->lda : 1;
    p->ldc = g->ldc;
    set_number(&p->alpha, g, g->alpha);
    set_number(&p->beta, g, g->beta);
}

static __attribute__((noinline)) bool described(const struct gr_plain_gemm *g, uint64_t shape,
                                                unsigned known)
{
    struct gr_product p = {0};
    describe(g, &p);
    if (gr_gemm_work(&p) > GR_THREADS_PAY ||
        !gr_gemm_prepare_float(&p, g->type == GRADUS_F32 ? GR_F32 : GR_F64, NULL))
        return false;
    const struct gr_small_choice choice = known ? gr_choice_of(known) : gr_gemm_small_choice(&p);
    if (!known)
        gr_choice_keep(shape, gr_choice_bits(&choice));
    return gr_gemm_as_chosen(&p, choice);
}

static inline bool multiply(const struct gr_plain_gemm *g)
{
    const struct ukr *u = gr_ukr_in_use(g->type == GRADUS_F32 ? GR_F32 : GR_F64);
    const uint64_t shape = shape_of(g);
    const unsigned choice = gr_choice_find(shape);
    if (!(choice & GR_ONE_CALL_BIT))
        return described(g, shape, choice);
    in_one_call(g, u, choice);
    return true;
}

bool gr_cpu_gemm_plain(const struct gr_plain_gemm *g)
{
    return is_plain(g) && multiply(g);
}

/* Whether the memory from C's first element to its last intersects that of A or B. */
static bool is_amid(const struct gr_plain_gemm *g)
{
    const int64_t bytes = g->type == GRADUS_F32 ? 4 : 8;
    const uintptr_t a = (uintptr_t)g->a, b = (uintptr_t)g->b, c = (uintptr_t)g->c;
    const uintptr_t c_end = c + (uintptr_t)(g->n * g->ldc * bytes);
    const uintptr_t a_end = a + (uintptr_t)((g->trans_a ? g->m : g->k) * g->lda * bytes);
    const uintptr_t b_end = b + (uintptr_t)((g->trans_b ? g->k : g->n) * g->ldb * bytes);
    return ((c < a_end) & (a < c_end)) | ((c < b_end) & (b < c_end));
}

/* float or double, valid, and nothing that BLAS does not have: one comparison for all members that
 * must be null, and one for those that must be alike. */
static inline bool is_usual(const struct gradus_gemm *g)
{
    const unsigned type = g->a_type, threads = (unsigned)g->threads;
    const unsigned unlike =
        (g->b_type ^ type) | ((unsigned)g->c_type ^ type) | ((unsigned)g->sum_type ^ type);
    const uintptr_t more = (uintptr_t)g->a_array | (uintptr_t)g->b_array | (uintptr_t)g->c_array |
                           (uintptr_t)g->epilogue | (uintptr_t)g->packed_a |
                           (uintptr_t)g->packed_b | (uintptr_t)g->workspace;
    const uint64_t flags = (uint64_t)type | (unsigned)g->layout | (unsigned)g->trans_a |
                           (unsigned)g->trans_b | (uint64_t)g->batch;
    return flags <= 1 && (unlike | more) == 0 && threads <= INT_MAX && g->workspace_bytes >= 0;
}

bool gr_gemm_plainly(const struct gradus_gemm *g)
{
    if (!is_usual(g))
        return false;
    const bool row = g->layout == GRADUS_ROW_MAJOR;
    const struct gr_plain_gemm p = {
        .type = g->a_type,
        .trans_a = row ? g->trans_b : g->trans_a,
        .trans_b = row ? g->trans_a : g->trans_b,
        .m = row ? g->n : g->m,
        .n = row ? g->m : g->n,
        .k = g->k,
        .alpha = g->alpha,
        .beta = g->beta,
        .a = row ? g->b : g->a,
        .b = row ? g->a : g->b,
        .c = g->c,
        .lda = row ? g->ldb : g->lda,
        .ldb = row ? g->lda : g->ldb,
        .ldc = g->ldc,
    };
    return is_plain(&p) && !(is_amid(&p) && gr_gemm_shared_with_c(g)) && multiply(&p);
}
