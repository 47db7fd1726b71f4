/* gemm_plain.c: products that use only what BLAS has: those that are more than one call of a
 * micro-kernel, and those that are given as a struct gradus_gemm. SPDX-License-Identifier: MIT */
#include "cpu/gemm_plain.h"

#include "cpu/call_resources.h"
#include "cpu/operands.h"

#include <limits.h>

/* Describes the column-major product as the row-major C' = B' A'. */
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
    gr_plain_number(&p->alpha, *g, g->alpha);
    gr_plain_number(&p->beta, *g, g->beta);
}

/* Computes the product with threads and a buffer. */
static void multiply(const struct gr_product *p, const struct gradus_gemm *caller)
{
    static const struct gradus_gemm any;
    const struct gradus_gemm *of = caller ? caller : &any;
    struct gr_call_resources resources;
    gr_call_resources_take(&resources, of, gr_call_threads(of, gr_gemm_threads_worth(p)));
    gr_gemm_float(p, &resources.workspace);
    gr_call_resources_give(&resources);
}

/* The choice for a small product, which is kept if it was not known. */
static struct gr_small_choice choice_for(const struct gr_product *p, uint64_t shape, unsigned known)
{
    if (known)
        return gr_choice_of(known);
    const struct gr_small_choice choice = gr_gemm_small_choice(p);
    gr_choice_keep(shape, gr_choice_bits(&choice));
    return choice;
}

/* Computes the product if it is small and needs no buffer. If it is small and needs one, its
 * direction is stored, so that it is not estimated again. */
static bool multiply_small(struct gr_product *p, uint64_t shape, unsigned known)
{
    if (gr_gemm_work(p) > GR_THREADS_PAY)
        return false;
    const struct gr_small_choice choice = choice_for(p, shape, known);
    if (gr_gemm_as_chosen(p, &choice))
        return true;
    if (choice.tail == 0)
        p->known_direction = 1 + (int)choice.direction;
    return false;
}

bool gr_gemm_plain_described(struct gr_plain_gemm g, const struct gradus_gemm *caller,
                             uint64_t shape, unsigned known)
{
    struct gr_product p = {0};
    describe(&g, &p);
    if (!gr_gemm_prepare_float(&p, g.type == GRADUS_F32 ? GR_F32 : GR_F64, NULL))
        return false;
    if (!multiply_small(&p, shape, known))
        multiply(&p, caller);
    return true;
}

/* Whether the memory from C's first element to its last overlaps that of A or B. */
static bool is_amid(const struct gr_plain_gemm *g)
{
    const int64_t bytes = g->type == GRADUS_F32 ? 4 : 8;
    const uintptr_t a = (uintptr_t)g->a, b = (uintptr_t)g->b, c = (uintptr_t)g->c;
    const uintptr_t c_end = c + (uintptr_t)(g->n * g->ldc * bytes);
    const uintptr_t a_end = a + (uintptr_t)((g->trans_a ? g->m : g->k) * g->lda * bytes);
    const uintptr_t b_end = b + (uintptr_t)((g->trans_b ? g->k : g->n) * g->ldb * bytes);
    return ((c < a_end) & (a < c_end)) | ((c < b_end) & (b < c_end));
}

/* Whether the types are float or double, the members are valid, and nothing is used that BLAS does
 * not have. This is one comparison for all members that must be null or 0, and one for those that
 * must be equal, because it takes part of the time of every small product. */
static inline bool is_usual(const struct gradus_gemm *g)
{
    const unsigned type = g->a_type, threads = (unsigned)g->threads;
    const unsigned unlike =
        (g->b_type ^ type) | ((unsigned)g->c_type ^ type) | ((unsigned)g->sum_type ^ type);
    const uintptr_t more = (uintptr_t)g->a_array | (uintptr_t)g->b_array | (uintptr_t)g->c_array |
                           (uintptr_t)g->epilogue | (uintptr_t)g->packed_a |
                           (uintptr_t)g->packed_b | (uintptr_t)g->workspace |
                           (uintptr_t)g->arrays_on_gpu | (uintptr_t)g->scale_a |
                           (uintptr_t)g->scale_b;
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof g->reserved / sizeof *g->reserved; i++)
        reserved |= (uint64_t)g->reserved[i];
    const uint64_t flags = (uint64_t)type | (unsigned)g->layout | (unsigned)g->trans_a |
                           (unsigned)g->trans_b | (uint64_t)g->batch;
    return flags <= 1 && (unlike | more | reserved) == 0 && threads <= INT_MAX &&
           g->workspace_bytes >= 0;
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
    return gr_plain_is_valid(p) && !(is_amid(&p) && gr_gemm_shared_with_c(g)) &&
           gr_gemm_plain(p, g);
}
