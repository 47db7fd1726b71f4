/* gemm_blocks.h: divides products into blocks, and packs blocks. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BLOCKS_H
#define CPU_GEMM_BLOCKS_H

#include "cpu/gemm.h"

static inline int64_t gr_min64(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static inline int64_t gr_max64(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static inline int64_t gr_cdiv(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

/* The size of equal parts of `whole`, none larger than `most`, so that the last part is not much
 * smaller than the others. */
static inline int64_t gr_even_part(int64_t whole, int64_t most)
{
    return whole > 0 ? gr_cdiv(whole, gr_cdiv(whole, most)) : 0;
}

/* The start of part i of `parts`. Larger parts alternate with smaller ones, so that consecutive
 * parts together are of nearly equal length, too. */
static inline int64_t gr_part_start(int64_t whole, int64_t parts, int64_t i)
{
    return whole / parts * i + whole % parts * i / parts;
}

/* Blocks in a buffer are aligned to cache lines. */
enum { GR_BLOCK_ALIGNMENT = 64 };

static inline int64_t gr_padded(int64_t bytes)
{
    return gr_cdiv(bytes, GR_BLOCK_ALIGNMENT) * GR_BLOCK_ALIGNMENT;
}

/* Halves one of the two block sizes, if there is no memory for the present ones. Returns false if
 * both are one panel already. */
static inline bool gr_halve_blocks(int64_t *nc_panels, int64_t *mc_panels)
{
    int64_t *panels = *nc_panels > 1 ? nc_panels : mc_panels;
    if (*panels <= 1)
        return false;
    *panels = gr_cdiv(*panels, 2);
    return true;
}

/* The value of beta for all blocks of k except the first, which has applied the caller's beta. */
static inline union gr_number gr_gemm_one(const struct gr_product *p)
{
    return p->bytes == 4 ? (union gr_number){.f32 = 1} : (union gr_number){.f64 = 1};
}

/* Packs elements of `bytes` bytes as pack.h describes. */
static inline void gr_pack_with(const struct gr_isa_functions *f, int64_t bytes, char *panels,
                                const char *source, int64_t lanes, int64_t depth, int64_t width,
                                int64_t lane_stride, int64_t step_stride)
{
    if (bytes == 4)
        f->pack_f32((float *)panels, (const float *)source, lanes, depth, width, lane_stride,
                    step_stride);
    else
        f->pack_f64((double *)panels, (const double *)source, lanes, depth, width, lane_stride,
                    step_stride);
}

/* The same for the type of the product. */
static inline void gr_pack(const struct gr_product *p, char *panels, const char *source,
                           int64_t lanes, int64_t depth, int64_t width, int64_t lane_stride,
                           int64_t step_stride)
{
    gr_pack_with(p->functions, p->bytes, panels, source, lanes, depth, width, lane_stride,
                 step_stride);
}

/* `elements` rounded up to whole vectors of `lanes` lanes, which is a power of two. */
static inline int64_t gr_round_up(int64_t elements, int64_t lanes)
{
    return (elements + lanes - 1) & -lanes;
}

static inline int64_t gr_whole_vectors(const struct gr_product *p, int64_t elements)
{
    return gr_round_up(elements, p->ukr->lanes);
}

/* Transposes a small operand of elements of `bytes` bytes, whose rows are contiguous, as
 * transpose.h describes. */
static inline void gr_transpose_with(const struct gr_isa_functions *f, int64_t bytes, char *panel,
                                     const char *source, int64_t lanes, int64_t depth,
                                     int64_t width, int64_t stride)
{
    if (f->transpose_f32 && bytes == 4)
        f->transpose_f32((float *)panel, (const float *)source, lanes, depth, stride);
    else if (f->transpose_f64 && bytes == 8)
        f->transpose_f64((double *)panel, (const double *)source, lanes, depth, stride);
    else
        gr_pack_with(f, bytes, panel, source, lanes, depth, width, stride, 1);
}

/* The same for the type of the product, into a panel of gr_whole_vectors(lanes) columns. */
static inline void gr_transpose(const struct gr_product *p, char *panel, const char *source,
                                int64_t lanes, int64_t depth, int64_t stride)
{
    gr_transpose_with(p->functions, p->bytes, panel, source, lanes, depth,
                      gr_whole_vectors(p, lanes), stride);
}

/* Whether the CPU executes each vector of 64 bytes as two of 32. */
static inline bool gr_gemm_executes_halves(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 64 &&
           atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed);
}

/* Whether vectors have 64 bytes and L3 is near, as on a Zen 4 and a Zen 5: it provides B about as
 * fast as a tile multiplies it. */
static inline bool gr_gemm_has_near_l3(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 64 && !gr_cpu_has_large_l2();
}

/* The same, and vectors are executed as a whole: a Zen 5. */
static inline bool gr_gemm_executes_whole(const struct gr_product *p)
{
    return gr_gemm_has_near_l3(p) && !gr_gemm_executes_halves(p);
}

/* The same, whatever vectors it is restricted to. */
static inline bool gr_cpu_executes_whole(void)
{
    return gr_gemm_may_have_avx512() && !gr_cpu_has_large_l2() &&
           !atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed);
}

/* Whether a tile may read its operands in place from L2 and L3. With vectors of 64 bytes, a step
 * takes longer than loading its lines. */
static inline bool gr_gemm_reads_from_afar(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 64;
}

static inline enum gr_dtype gr_gemm_type(const struct gr_product *p)
{
    return p->bytes == 4 ? GR_F32 : GR_F64;
}

/* gr_ukr_for and gr_ukr_for_dots, for the type of the product. */
static inline const struct ukr *gr_gemm_ukr_for(const struct gr_product *p, int64_t n)
{
    return gr_ukr_for(p->ukr, gr_gemm_type(p), n);
}

static inline const struct ukr *gr_gemm_ukr_for_dots(const struct gr_product *p, int64_t k)
{
    return gr_ukr_for_dots(p->ukr, gr_gemm_type(p), p->m, p->n, k);
}

/* The first element of a tile's operand, and the distances between its elements. */
struct gr_from {
    const char *at;
    int64_t lane, step;
};

/* The rows of A from row i on, from step pc on: in place, or in a panel that was packed beforehand,
 * whose first row must be row i. */
static inline struct gr_from gr_a_from(const struct gr_product *p, int64_t i, int64_t pc)
{
    const int64_t mr = p->ukr->mr;
    if (p->a_panels)
        return (struct gr_from){p->a_panels + (i * p->k + pc * mr) * p->bytes, 1, mr};
    return (struct gr_from){p->a + (i * p->a_row + pc * p->a_col) * p->bytes, p->a_row, p->a_col};
}

/* The rows of a tile of a product with few rows: equal parts of them, or whole panels. */
static inline int64_t gr_few_rows(const struct gr_product *p)
{
    return p->a_panels ? p->ukr->mr : gr_even_part(p->m, p->ukr->mr);
}

/* Rows of operands in place that are the last ones of more rows than a tile has, and are better
 * computed after all others: with vectors of 32 bytes, tiles of three or four rows are broad
 * (ukr_broad.h), and all others then have as many rows as a tile can have. Five rows would be two
 * broad tiles, so that B is read once more. */
static inline int64_t gr_broad_rows(const struct gr_product *p, int64_t m, int64_t n, int64_t k)
{
    enum { LEAST_STEPS = 16 };
    const struct ukr *u = p->ukr;
    if (u->lanes * p->bytes != 32 || u->mr != UKR_BROAD_ROWS + 2 || m <= u->mr ||
        n <= 3 * u->lanes || k < LEAST_STEPS)
        return 0;
    const int64_t rest = m % u->mr;
    return rest == 0 || rest > UKR_BROAD_ROWS ? 0 : rest < 3 ? u->mr + rest : rest;
}

/* The rows of the next tile of n columns and k steps in place, of the rows that are left. */
static inline int64_t gr_next_rows(const struct gr_product *p, int64_t n, int64_t k, int64_t left)
{
    return gr_broad_rows(p, left, n, k) == left ? gr_min64(UKR_BROAD_ROWS, left)
                                                : gr_min64(p->ukr->mr, left);
}

/* Runs the body for each tile, on a team or, if `team` is null, on the caller's thread. */
static inline void gr_for_all(struct gr_team *team, int64_t tiles,
                              void (*body)(void *context, int64_t tile, int thread), void *context)
{
    if (team) {
        team->run(team, tiles, body, context);
        return;
    }
    for (int64_t tile = 0; tile < tiles; tile++)
        body(context, tile, 0);
}

#endif
