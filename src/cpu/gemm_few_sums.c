/* gemm_few_sums.c: small products with so few vectors of sums that each multiply-add would wait for
 * the one before it. SPDX-License-Identifier: MIT
 *
 * k is divided into two or four blocks, which a micro-kernel computes side by side
 * (ukr_few_sums.h). The other paths compute the same blocks one after another, as they do for a
 * long k, so that the results are the same in every bit. The number of blocks therefore depends on
 * the sizes alone, and not on strides or on what was packed beforehand. Vectors may run along rows
 * or along columns; the direction that needs more blocks decides. */
#include "cpu/gemm_blocks.h"

/* Costs in quarters of a cycle. LATENCY is the latency of a multiply-add. STEP is one step of two
 * blocks side by side, most of which are loads, and STEP_OF_SUM is added for each vector of sums. A
 * CPU that executes vectors of 64 bytes as two halves needs STEP_OF_HALVES, and at least HALVES for
 * each multiply-add. PARTIAL is added for a partial vector if the instruction set has no masks.
 * LESS is subtracted for a step of four blocks.
 *
 * In cycles: ANY_BLOCKS and, for each vector of sums, SUM_OF_BLOCKS are the time to begin several
 * blocks and to add their sums. WRITTEN_TRANSPOSED is the time to write several columns of C from
 * vectors along columns. */
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

/* The number of vectors of sums of `rows` rows of `elements` elements. */
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

/* The logarithm of the number of blocks if vectors run along rows of `elements` elements; 0 if one
 * block is faster. `written` is the additional time to write C. */
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
