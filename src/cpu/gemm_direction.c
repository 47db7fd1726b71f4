/* gemm_direction.c: along which dimension of a small product, or of one with few rows or columns,
 * the vectors run. SPDX-License-Identifier: MIT
 *
 * All three directions are estimated (gemm_small.c, gemm_large.c), and the one that takes the least
 * is chosen. For large products of a kind of CPU without figures, rules choose instead. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

/* More rows or columns than this are not few, and products of more work are computed in blocks of
 * panels. */
enum {
    FEW = 32,
    FEW_ROWS_OF_TILE = 14,
    FEW_DOTS = 8,
    FEW_NEAR_DOTS = 14,
    LEAST_STEPS = 64,
    LEAST_MANY = 32
};
/* A is read by strips, whose rows are far apart, and again for each tile of columns of C: beyond a
 * part of L3, that is slower than packing it, unless C has fewer columns than this. */
enum { FEW_FROM_MEMORY = 6, LEAST_NEAR_BYTES = 1 << 20 };

/* Along rows, if that takes as long as another direction. */
static enum gr_direction least(int64_t rows, int64_t columns, int64_t k)
{
    if (rows <= columns && rows <= k)
        return GR_ALONG_ROWS;
    return columns <= k ? GR_ALONG_COLUMNS : GR_ALONG_K;
}

enum gr_direction gr_gemm_direction_of_small(const struct gr_product *p)
{
    return least(gr_gemm_cycles(p, GR_ALONG_ROWS), gr_gemm_cycles(p, GR_ALONG_COLUMNS),
                 gr_gemm_cycles(p, GR_ALONG_K));
}

/* Whether so many elements can be read several times at the speed of a cache. */
static bool is_near(const struct gr_product *p, int64_t elements)
{
    return elements <= gr_max64(gr_cpu_cache_bytes(3) / 8, LEAST_NEAR_BYTES) / p->bytes;
}

/* Whether the few rows or columns and a long k make dot products of it: `few` columns of C, with
 * the other operand contiguous along k, of so many rows. */
static bool are_dots(const struct gr_product *p, int64_t few, int64_t step, int64_t many)
{
    return step == 1 && p->k >= LEAST_STEPS && many >= LEAST_MANY &&
           (few <= FEW_DOTS || (few <= FEW_NEAR_DOTS && is_near(p, many * p->k)));
}

static bool is_large_dots(const struct gr_product *p)
{
    return are_dots(p, p->n, p->a_col, p->m) || are_dots(p, p->m, p->b_row, p->n);
}

static bool is_large_columns(const struct gr_product *p)
{
    const int64_t most = gr_gemm_is_deep(p) ? FEW_ROWS_OF_TILE : FEW;
    return p->n <= most && p->m > p->n && p->a_row == 1 &&
           (p->n <= FEW_FROM_MEMORY || is_near(p, p->m * p->k));
}

/* The cycles along rows where the columns beyond whole vectors may be a product of their own
 * (gemm_tail.c). */
static int64_t divided_cycles(const struct gr_product *p)
{
    const int64_t tail = p->n & (p->ukr->lanes - 1), whole = p->n - tail;
    if (tail == 0 || whole == 0 || gr_gemm_is_deep(p))
        return GR_GEMM_IMPOSSIBLE;
    const struct gr_product first = gr_gemm_columns_of(p, 0, whole);
    const struct gr_product last = gr_gemm_columns_of(p, whole, tail);
    return gr_gemm_large_cycles(&first, GR_ALONG_ROWS) +
           gr_min64(gr_gemm_large_cycles(&last, GR_ALONG_COLUMNS),
                    gr_gemm_large_cycles(&last, GR_ALONG_K));
}

/* With more rows and columns than these, the figures of a Zen 5 are less exact: another direction
 * must save more than one part in SURE_GAIN, and more than dividing the product would save. */
enum { FIGURES_ROWS = 64, FIGURES_COLUMNS = 48, SURE_GAIN = 32 };

static enum gr_direction direction_by_figures(const struct gr_product *p)
{
    const int64_t rows = gr_gemm_large_cycles(p, GR_ALONG_ROWS);
    const int64_t columns = gr_gemm_large_cycles(p, GR_ALONG_COLUMNS);
    const int64_t k = gr_gemm_large_cycles(p, GR_ALONG_K), other = gr_min64(columns, k);
    const enum gr_direction best = least(rows, columns, k);
    if (best == GR_ALONG_ROWS || p->m <= FIGURES_ROWS || p->n <= FIGURES_COLUMNS ||
        !gr_cpu_executes_whole())
        return best;
    return other > rows - rows / SURE_GAIN || divided_cycles(p) <= other ? GR_ALONG_ROWS : best;
}

static enum gr_direction direction_of_large(const struct gr_product *p)
{
    if (gr_gemm_has_figures(p))
        return direction_by_figures(p);
    if (is_large_dots(p))
        return GR_ALONG_K;
    return is_large_columns(p) ? GR_ALONG_COLUMNS : GR_ALONG_ROWS;
}

enum gr_direction gr_gemm_direction(const struct gr_product *p)
{
    if (p->a_panels || p->b_panels)
        return GR_ALONG_ROWS;
    if (p->known_direction)
        return (enum gr_direction)(p->known_direction - 1);
    return gr_gemm_work(p) <= GR_THREADS_PAY ? gr_gemm_direction_of_small(p)
                                             : direction_of_large(p);
}
