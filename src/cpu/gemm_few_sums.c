/* gemm_few_sums.c: small products with so few sums that each would wait for its own last
 * multiply-add. SPDX-License-Identifier: MIT
 *
 * k is divided into a few blocks, which a micro-kernel computes side by side (ukr_few_sums.h).
 * Other ways compute the same blocks one after another, as those of a long k, and have the same
 * bits. So the number of blocks depends on the sizes alone, and neither on strides nor on what was
 * packed beforehand; the vectors run along rows or along columns, and it is the one with fewer sums
 * that decides. */
#include "cpu/gemm_blocks.h"

/* In quarters of a cycle: what a multiply-add takes to complete; and a step of two blocks side by
 * side, of which there is a part for each sum, and which is mostly loads. Vectors of 64 bytes that
 * are executed as halves take longer, each multiply-add at least a cycle; so does a partial vector
 * of an instruction set without masks. A step of four blocks takes a little less. In cycles: to
 * begin several blocks and add them up, and for each sum; and to write a C of several columns from
 * vectors along them. */
enum {
    LATENCY = 16,
    STEP = 4,
    STEP_OF_HALVES = 6,
    STEP_OF_SUM = 2,
    HALVES = 4,
    PARTIAL = 2,
    LESS = 1
};
enum { ANY_BLOCKS = 30, SUM_OF_BLOCKS = 4, WRITTEN_TRANSPOSED = 60 };

/* The vectors of sums, in so many rows of `elements`. */
static int64_t sums_of(const struct ukr *u, int64_t rows, int64_t elements)
{
    const int shift = __builtin_ctzll((unsigned long long)u->lanes); /* a power of two */
    return rows * ((elements + u->lanes - 1) >> shift);
}

int64_t gr_gemm_few_sums_cycles(const struct gr_product *p, int64_t rows, int64_t elements)
{
    const struct ukr *u = gr_gemm_ukr_for(p, elements);
    const bool halves = u->lanes == p->ukr->lanes && gr_gemm_executes_halves(p);
    const int64_t sums = sums_of(u, rows, elements);
    const bool partial = p->ukr->lanes * p->bytes < 64 && (elements & (u->lanes - 1)) != 0;
    const int64_t loads = (halves ? STEP_OF_HALVES : STEP) + sums * STEP_OF_SUM +
                          (partial ? PARTIAL : 0) - (sums <= 2 ? LESS : 0);
    const int64_t step = halves ? gr_max64(loads, sums * HALVES) : loads;
    return p->k * step / 4 + ANY_BLOCKS + sums * SUM_OF_BLOCKS;
}

/* The logarithm of the blocks of that many sums. */
static int log2_of(const struct gr_product *p, int64_t rows, int64_t elements, int64_t written)
{
    const int64_t sums = sums_of(gr_gemm_ukr_for(p, elements), rows, elements);
    if (sums > UKR_FEW_SUMS ||
        gr_gemm_few_sums_cycles(p, rows, elements) + written >= p->k * (LATENCY / 4))
        return 0;
    return sums <= 2 ? 2 : 1;
}

int gr_gemm_find_few_sums(const struct gr_product *p)
{
    const int64_t most = UKR_FEW_SUMS * p->ukr->lanes;
    if (p->k < UKR_FEW_SUMS_STEPS || (p->m > UKR_FEW_SUMS && p->n > UKR_FEW_SUMS) || p->m > most ||
        p->n > most || gr_gemm_work(p) > GR_THREADS_PAY)
        return 0;
    const int by_rows = log2_of(p, p->m, p->n, 0);
    const int by_columns = log2_of(p, p->n, p->m, p->n > 1 ? WRITTEN_TRANSPOSED : 0);
    return by_rows > by_columns ? by_rows : by_columns;
}
