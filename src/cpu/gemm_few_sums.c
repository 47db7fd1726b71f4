/* gemm_few_sums.c: small products with so few sums that each would wait for its own last
 * multiply-add. SPDX-License-Identifier: MIT
 *
 * k is divided into a few blocks, which a micro-kernel computes side by side (ukr_few_sums.h).
 * Other ways compute the same blocks one after another, as those of a long k, and have the same
 * bits. So the number of blocks depends on the sizes alone, and neither on strides nor on what was
 * packed beforehand; the vectors run along rows or along columns, and it is the one with fewer sums
 * that decides. */
#include "cpu/gemm_blocks.h"

/* A core starts so many multiply-adds of 32 bytes before it has the result of the first; where 64
 * bytes are executed as two halves, two for each vector. */
enum { IN_FLIGHT = 8 };

/* The vectors of sums, in a row of so many elements each. */
static int64_t sums_of(const struct gr_product *p, int64_t rows, int64_t elements)
{
    return rows * gr_cdiv(elements, gr_gemm_ukr_for(p, elements)->lanes);
}

static bool are_few(const struct gr_product *p, int64_t rows, int64_t elements)
{
    const struct ukr *u = gr_gemm_ukr_for(p, elements);
    const bool halves = gr_gemm_executes_halves(p) && u->lanes * p->bytes == 64;
    const int64_t sums = sums_of(p, rows, elements);
    return sums <= UKR_FEW_SUMS && sums * (halves ? 2 : 1) < IN_FLIGHT;
}

int64_t gr_gemm_few_sums_blocks(const struct gr_product *p)
{
    if (gr_min64(p->m, p->n) > UKR_FEW_SUMS || p->k < UKR_FEW_SUMS_STEPS || p->is_part ||
        gr_gemm_work(p) > GR_THREADS_PAY)
        return 1;
    if (sums_of(p, p->m, p->n) == 1 || sums_of(p, p->n, p->m) == 1)
        return UKR_MOST_BLOCKS;
    return are_few(p, p->m, p->n) || are_few(p, p->n, p->m) ? 2 : 1;
}

int64_t gr_gemm_few_sums_depth(const struct gr_product *p)
{
    return gr_cdiv(p->k, gr_gemm_few_sums_blocks(p));
}
