/* gemm_direction.c: along which dimension of a small product, or of one with few rows or columns,
 * the vectors run. SPDX-License-Identifier: MIT
 *
 * Vectors along a dimension shorter than a vector are mostly empty, and an operand that is not
 * contiguous along that dimension must be transposed first. So all three are estimated, in cycles
 * of a core that starts one multiply-add of vectors a cycle; the cheapest is taken. A core that
 * starts two halves all three. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

/* A multiply-add has to wait for the previous one of the same sum. */
enum { LATENCY = 4 };
/* A second block of k of few sums that are not few in this direction, and reading a vector of C
 * that was written just before; any copy of an operand at all; one in a buffer, which takes a
 * workspace; transposing one step of one vector, or one that is dense; packing it, which is done
 * where B is too large; a strip of A beside the transposing; any C that is written transposed, one
 * that is written from registers, or of few steps and many columns, and a tile of the others; any
 * dot products, those where the few rows are copied, and those where they are copied to a buffer;
 * loading a row for them, of whole vectors or with a mask; adding up the lanes of two sums and
 * writing them, and of narrower vectors; writing one element, or several side by side, to a C that
 * is written transposed; two, if eight vectors are written at a time; writing a vector of C. */
enum {
    ANY_BLOCK = 100,
    BLOCK = 18,
    ANY_COPY = 70,
    ANY_BUFFER = 1200,
    TRANSPOSED = 4,
    DENSE = 2,
    PACKED = 8,
    ANY_STRIP = 60,
    ANY_SCATTERED = 40,
    ANY_DIRECT = 10,
    ANY_WIDE = 40,
    ANY_TILE = 100,
    ANY_DOTS = 16,
    ANY_DOTS_COPY = 95,
    ANY_DOTS_BUFFER = 800,
    WHOLE_ROW = 1,
    MASKED_ROW = 2,
    TWO_ADDED_UP = 4,
    TWO_NARROW_ADDED_UP = 4,
    SCATTERED = 2,
    TWO_SCATTERED_BY_EIGHT = 3,
    WRITTEN = 2
};
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

static int64_t vectors(const struct gr_product *p, int64_t elements)
{
    const int shift = __builtin_ctzll((unsigned long long)p->ukr->lanes); /* a power of two */
    return (elements + p->ukr->lanes - 1) >> shift;
}

/* k steps of so many sums for each vector of `elements`. The narrower micro-kernel (gr_ukr_for)
 * multiplies half a vector less on a CPU that executes halves; where half a vector is all, it waits
 * for the loads of A. Some of the other CPUs start two multiply-adds of half the width a cycle, and
 * some one. */
static int64_t multiplied(const struct gr_product *p, int64_t sums, int64_t elements)
{
    const int64_t all = sums * vectors(p, elements);
    int64_t started = all;
    if (p->ukr->lanes * p->bytes == 64 && gr_gemm_ukr_for(p, elements) != p->ukr)
        started -= sums * (elements <= p->ukr->lanes ? 1 : 2) / 4;
    if (p->few_sums_log2 && all <= UKR_FEW_SUMS)
        return gr_max64(p->k * started, gr_gemm_few_sums_cycles(p, sums, elements)) + all * WRITTEN;
    if (p->few_sums_log2) {
        const int64_t more = ((int64_t)1 << p->few_sums_log2) - 1;
        return p->k * started + all * WRITTEN + more * (ANY_BLOCK + all * BLOCK);
    }
    return p->k * gr_max64(started, LATENCY) + all * WRITTEN;
}

int64_t gr_gemm_spared(const struct gr_product *p)
{
    const bool half = ((p->n - 1) & (p->ukr->lanes - 1)) < p->ukr->lanes / 2;
    return half && p->n > p->ukr->lanes && gr_gemm_executes_halves(p) &&
                   gr_gemm_ukr_for(p, p->n) == p->ukr
               ? p->k * p->m / 2
               : 0;
}

/* Transposing rows of so many elements by gr_transpose: in squares of 16 bytes, or few elements by
 * shuffles of whole vectors (transpose_avx512.c, transpose_avx2.c). The latter takes rows that are
 * adjacent, as they mostly are: the choice must not depend on the leading dimensions. */
static int64_t transposed_in(const struct gr_product *p, int64_t rows, int64_t elements,
                             int64_t step)
{
    const int64_t square = 16 / p->bytes, whole = (elements + square - 1) & -square;
    const int64_t vector_bytes = p->ukr->lanes * p->bytes;
    const int64_t most_dense = vector_bytes == 64 ? 4 : vector_bytes == 32 ? 3 : 0;
    const bool dense = elements >= 2 && elements <= most_dense;
    return vectors(p, rows) * (dense ? elements * DENSE : whole * step);
}

static int64_t transposed(const struct gr_product *p, int64_t rows, int64_t elements)
{
    return transposed_in(p, rows, elements, TRANSPOSED);
}

/* One row of C by a transposed B, where vectors are executed as halves: there is nothing that could
 * hide transposing B, or adding up lanes. Measured on an AMD Zen 4. */
enum { STEP_OF_ONE_ROW_F32 = 10, STEP_OF_ONE_ROW_F64 = 9, TWO_OF_ONE_ROW_ADDED_UP = 7 };

static bool is_bare_row(const struct gr_product *p)
{
    return p->m == 1 && p->b_col != 1 && gr_gemm_executes_halves(p);
}

static int64_t transposed_rows_of_b(const struct gr_product *p)
{
    const int64_t bare = p->bytes == 4 ? STEP_OF_ONE_ROW_F32 : STEP_OF_ONE_ROW_F64;
    return transposed_in(p, p->n, p->k, is_bare_row(p) ? bare : TRANSPOSED);
}

/* A B that is transposed on the stack, in a buffer, or packed. */
static int64_t transposed_b(const struct gr_product *p, int64_t wide)
{
    const int64_t column_bytes = p->k * p->ukr->lanes * p->bytes, all = column_bytes * wide;
    if (column_bytes <= GR_TRANSPOSED_STACK_BYTES && gr_gemm_work(p) <= GR_THREADS_PAY)
        return ANY_COPY + transposed_rows_of_b(p) + all / GR_TRANSPOSED_STACK_BYTES * ANY_STRIP;
    return (column_bytes <= GR_TRANSPOSED_STACK_BYTES ? ANY_COPY : ANY_BUFFER) +
           (all <= GR_TRANSPOSED_BYTES ? transposed_rows_of_b(p) : p->k * wide * PACKED);
}

/* Few steps without tiles (ukr_few_steps.h): vectors are written while the next ones are
 * multiplied, but no faster than so many cycles each. B's vectors of a narrow C stay in registers,
 * of which vectors of 64 bytes have more; with more steps than MOST_OF_WIDE, that pays for many
 * rows. */
enum { LEAST_WRITTEN = 3, FEW_VECTORS = 4, FEW_OF_B = 24, FEW_OF_B_32 = 8 };
enum { MOST_OF_WIDE = 8, MOST_OF_NARROW = 12, NARROW_LEAST_ROWS = 16, MOST_STEPS_32 = 4 };

static bool is_few_steps(const struct gr_product *p, int64_t wide)
{
    if (p->ukr->lanes * p->bytes != 64)
        return p->k <= MOST_STEPS_32 && (wide > FEW_VECTORS || p->k * wide <= FEW_OF_B_32);
    if (p->k <= MOST_OF_WIDE)
        return wide > FEW_VECTORS || p->k * wide <= FEW_OF_B;
    const int64_t of_tile = gr_cdiv(p->n, gr_gemm_ukr_for(p, p->n)->lanes);
    return p->k <= MOST_OF_NARROW && p->k * of_tile <= FEW_OF_B && p->m >= NARROW_LEAST_ROWS;
}

static int64_t along_rows(const struct gr_product *p)
{
    const int64_t wide = vectors(p, p->n), all = p->m * wide;
    const int64_t waited = gr_max64(0, LEAST_WRITTEN - p->k) * all;
    const int64_t written = !is_few_steps(p, wide) ? 0
                            : wide > FEW_VECTORS   ? ANY_WIDE + waited - all * WRITTEN
                                                   : waited - all * WRITTEN;
    return multiplied(p, p->m, p->n) - gr_gemm_spared(p) + written +
           (p->b_col == 1 ? 0 : transposed_b(p, wide));
}

/* Many columns of C are divided into tiles of about 16 columns of two vectors, each of which is
 * written to a buffer first. */
static int64_t tiles_beside(const struct gr_product *p)
{
    enum { COLUMNS = 16 };
    return p->n / COLUMNS * ((vectors(p, p->m) + 1) / 2);
}

/* Writing a C whose rows are contiguous from vectors along its columns: four columns of four or
 * more rows side by side, and those that are left over, two of them as fast as one. */
static int64_t scattered(const struct gr_product *p)
{
    const int64_t left = p->n % 4, writes = p->n / 4 + (left + 1) / 2;
    return ANY_SCATTERED + tiles_beside(p) * ANY_TILE +
           (p->m >= 4 ? (p->m + 3) / 4 * 4 * writes : p->m * p->n) * SCATTERED;
}

/* Transposing A strip by strip. */
static int64_t transposed_by_strips(const struct gr_product *p)
{
    return transposed(p, p->m, p->k) + gr_gemm_columns_strips(p) * ANY_STRIP;
}

/* The same from registers, in groups of columns; no vector is written before. Whatever beta is, as
 * the choice must not depend on it. */
static int64_t directly(const struct gr_product *p)
{
    const int64_t group = UKR_DIRECT_GROUP, groups = (p->n + group - 1) / group;
    const int64_t sums = gr_max64(p->n, p->n < group ? 0 : groups * group);
    const bool narrow = gr_gemm_executes_halves(p) && gr_gemm_ukr_for(p, p->m) != p->ukr;
    const int64_t spared = !narrow ? 0 : p->m <= p->ukr->lanes ? sums / 4 : sums / 2;
    const int64_t writes = p->n == 3 ? 2 : groups; /* three are two and one */
    const bool eight = p->ukr->lanes * p->bytes == 64 && p->n >= 2 * group; /* rows, transposed */
    const int64_t written = (p->m + 3) / 4 * 4 * writes;
    return ANY_DIRECT + p->k * gr_max64(sums * vectors(p, p->m) - spared, LATENCY) +
           (eight ? written * TWO_SCATTERED_BY_EIGHT / 2 : written * SCATTERED);
}

static int64_t along_columns(const struct gr_product *p)
{
    if (!gr_gemm_columns_fit(p))
        return GR_GEMM_IMPOSSIBLE;
    const int64_t strips = p->a_row == 1 ? 0 : transposed_by_strips(p);
    if (p->ldc != 1 && !p->few_sums_log2 && ukr_is_direct(p->ukr->lanes, p->n, p->k))
        return strips + directly(p);
    return strips + multiplied(p, p->n, p->m) + (p->ldc == 1 ? 0 : scattered(p));
}

/* So many dot products, and the lanes of their sums, of which those of narrower vectors are fewer.
 * On a CPU that does not execute halves, the figures of whole vectors decide for both. */
static int64_t added_up(const struct gr_product *p, int64_t dots)
{
    const int64_t lanes = gr_gemm_ukr_for_dots(p, p->k)->lanes;
    const int64_t two = is_bare_row(p) ? TWO_OF_ONE_ROW_ADDED_UP : TWO_ADDED_UP;
    if (lanes == p->ukr->lanes || !atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed))
        return dots * vectors(p, p->k) + dots * two / 2;
    return dots * (gr_cdiv(p->k, lanes) + TWO_NARROW_ADDED_UP) / 2;
}

/* Rows that do not stay in L1 are read again for each group of columns. */
static int64_t along_k(const struct gr_product *p)
{
    enum { NEAR_BYTES = 24 << 10 };
    if (p->a_col != 1 && p->b_row != 1)
        return GR_GEMM_IMPOSSIBLE;
    const int64_t dots = p->m * p->n, rows = gr_gemm_dots_exchanged(p) ? p->n : p->m;
    const bool masked = (p->k & (p->ukr->lanes - 1)) != 0;
    const int64_t near = ANY_DOTS + added_up(p, dots) + rows * (masked ? MASKED_ROW : WHOLE_ROW);
    const int64_t in_place = rows * p->k * p->bytes <= NEAR_BYTES ? near : near + near / 8;
    if (p->a_col == 1 && p->b_row == 1)
        return in_place;
    const int64_t copy = p->a_col != 1 ? transposed(p, p->k, p->m) : transposed(p, p->k, p->n);
    return in_place + (gr_gemm_dots_fit(p) ? ANY_DOTS_COPY + copy : ANY_DOTS_BUFFER + 2 * copy);
}

int64_t gr_gemm_cycles(const struct gr_product *p, enum gr_direction direction)
{
    switch (direction) {
    case GR_ALONG_COLUMNS:
        return along_columns(p);
    case GR_ALONG_K:
        return along_k(p);
    default:
        return along_rows(p);
    }
}

/* Along rows, if that takes as long as another direction. */
static enum gr_direction least(int64_t rows, int64_t columns, int64_t k)
{
    if (rows <= columns && rows <= k)
        return GR_ALONG_ROWS;
    return columns <= k ? GR_ALONG_COLUMNS : GR_ALONG_K;
}

enum gr_direction gr_gemm_direction_of_small(const struct gr_product *p)
{
    return least(along_rows(p), along_columns(p), along_k(p));
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

static enum gr_direction direction_of_large(const struct gr_product *p)
{
    if (gr_gemm_has_figures(p))
        return least(gr_gemm_large_cycles(p, GR_ALONG_ROWS),
                     gr_gemm_large_cycles(p, GR_ALONG_COLUMNS),
                     gr_gemm_large_cycles(p, GR_ALONG_K));
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
