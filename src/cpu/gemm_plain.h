/* gemm_plain.h: the shortest path for products that need nothing beyond BLAS. It is inlined into
 * each entry point, so that the arguments stay in registers; writing them to a struct and reading
 * them back would take a tenth of the time of 8x8x8. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PLAIN_H
#define CPU_GEMM_PLAIN_H

#include "cpu/cpu.h"
#include "cpu/gemm_choice.h"
#include "cpu/ukr_table.h"

#define GR_PLAIN_INLINE static inline __attribute__((always_inline))

/* Above these limits the overhead of a call does not matter. Below them, no products of sizes and
 * distances overflow, and each size has 14 bits. */
enum { GR_PLAIN_LONGEST = 1 << 14, GR_PLAIN_FARTHEST = 1 << 30 };

/* One comparison checks all sizes and one all leading dimensions; both also exclude negative
 * values. */
GR_PLAIN_INLINE bool gr_plain_is_valid(struct gr_plain_gemm g)
{
    const uint64_t m = (uint64_t)g.m, n = (uint64_t)g.n, k = (uint64_t)g.k;
    const uint64_t lda = (uint64_t)g.lda, ldb = (uint64_t)g.ldb, ldc = (uint64_t)g.ldc;
    const bool small = ((m - 1) | (n - 1) | (k - 1)) < GR_PLAIN_LONGEST,
               near = (lda | ldb | ldc) < GR_PLAIN_FARTHEST;
    const bool long_enough =
        (lda >= (g.trans_a ? k : m)) & (ldb >= (g.trans_b ? n : k)) & (ldc >= m);
    const bool scales = g.type == GRADUS_F32 ? (float)g.alpha == 0 : g.alpha == 0;
    return small & near & long_enough && (unsigned)(g.trans_a | g.trans_b) <= 1 && !scales && g.a &&
           g.b && g.c;
}

GR_PLAIN_INLINE void gr_plain_number(union gr_number *number, struct gr_plain_gemm g, double x)
{
    if (g.type == GRADUS_F32)
        number->f32 = (float)x;
    else
        number->f64 = x;
}

/* Encodes what the choice depends on: the sizes, none of which is 0, and the strides. With a
 * leading dimension of 1, a row or a column is contiguous in both directions. */
GR_PLAIN_INLINE uint64_t gr_plain_shape(struct gr_plain_gemm g)
{
    uint64_t strides = g.type != GRADUS_F32;
    strides = 2 * strides + (unsigned)g.trans_a;
    strides = 2 * strides + (unsigned)g.trans_b;
    strides = 2 * strides + ((uint64_t)g.lda < 2);
    strides = 2 * strides + ((uint64_t)g.ldb < 2);
    strides = 2 * strides + ((uint64_t)g.ldc < 2);
    return (uint64_t)g.m + ((uint64_t)g.n << 14) + ((uint64_t)g.k << 28) + (strides << 43);
}

/* Computes a product by one call of a micro-kernel. Describing so small a product in a struct
 * gr_product would take a third of the time of 8x8x8. The column-major product is computed as the
 * row-major product C' = B' A'. */
GR_PLAIN_INLINE void gr_plain_in_one_call(struct gr_plain_gemm g, const struct ukr *u,
                                          unsigned bits)
{
    const struct gr_small_choice choice = gr_choice_of(bits);
    const int64_t m = g.n, n = g.m;
    union gr_number alpha, beta;
    gr_plain_number(&alpha, g, g.alpha);
    gr_plain_number(&beta, g, g.beta);
    const int64_t a_row = g.trans_b ? 1 : g.ldb, a_col = g.trans_b ? g.ldb : 1;
    const int64_t b_row = g.trans_a ? 1 : g.lda, b_col = g.trans_a ? g.lda : 1;
    const enum gr_dtype type = g.type == GRADUS_F32 ? GR_F32 : GR_F64;
    if (choice.direction == GR_ALONG_ROWS) {
        const struct ukr_strided product = {m,
                                            n,
                                            g.k,
                                            &alpha,
                                            g.b,
                                            a_row,
                                            a_col,
                                            g.a,
                                            choice.transposes ? b_col : b_row,
                                            &beta,
                                            g.c,
                                            g.ldc,
                                            choice.stores_wait};
        if (choice.transposes)
            gr_gemm_transposed_at_once(type, GR_ALONG_ROWS, &product, choice.few_sums_log2);
        else
            gr_gemm_rows_in_place(gr_ukr_for(u, type, n), &product, choice.few_sums_log2);
    } else if (choice.direction == GR_ALONG_COLUMNS) {
        const struct ukr_strided product = {n,
                                            m,
                                            g.k,
                                            &alpha,
                                            g.a,
                                            b_col,
                                            b_row,
                                            g.b,
                                            choice.transposes ? a_row : a_col,
                                            &beta,
                                            g.c,
                                            g.ldc,
                                            choice.stores_wait};
        if (choice.transposes)
            gr_gemm_transposed_at_once(type, GR_ALONG_COLUMNS, &product, choice.few_sums_log2);
        else
            gr_gemm_columns_in_place(u, type, &product, choice.few_sums_log2);
    } else if (choice.transposes)
        gr_gemm_dots_with_copy(
            type, choice.exchanged ? &(struct gr_dots){n, m, g.k, &alpha, g.a, b_col, b_row, g.b,
                                                       a_row, a_col, &beta, g.c, 1, g.ldc}
                                   : &(struct gr_dots){m, n, g.k, &alpha, g.b, a_row, a_col, g.a,
                                                       b_col, b_row, &beta, g.c, g.ldc, 1});
    else {
        ukr_dots_fn *const run_dots = gr_ukr_dots(choice.narrow ? gr_ukr_narrow(u, type) : u, m, n);
        if (choice.exchanged)
            run_dots(n, m, g.k, &alpha, g.a, b_col, g.b, a_row, &beta, g.c, 1, g.ldc);
        else
            run_dots(m, n, g.k, &alpha, g.b, a_row, g.a, b_col, &beta, g.c, g.ldc, 1);
    }
}

/* Computes a product that is not one call of a micro-kernel, or whose choice is not known (`known`
 * is 0). Returns false if nothing was done. */
bool gr_gemm_plain_described(struct gr_plain_gemm gemm, const struct gradus_gemm *caller,
                             uint64_t shape, unsigned known);

/* Computes the product if it is valid, not too large and needs nothing beyond BLAS. Otherwise it
 * returns false and does nothing; the product is then validated, and gr_cpu_gemm computes it. The
 * function may use the threads, the context and the memory of `caller`; null: as many threads as
 * are allowed, and the library's memory. */
GR_PLAIN_INLINE bool gr_gemm_plain(struct gr_plain_gemm g, const struct gradus_gemm *caller)
{
    if (!gr_plain_is_valid(g))
        return false;
    const struct ukr *u = gr_ukr_in_use(g.type == GRADUS_F32 ? GR_F32 : GR_F64);
    const uint64_t shape = gr_plain_shape(g);
    const unsigned choice = gr_choice_find(shape);
    if (!(choice & GR_ONE_CALL_BIT))
        return gr_gemm_plain_described(g, caller, shape, choice);
    gr_plain_in_one_call(g, u, choice);
    return true;
}

#endif
