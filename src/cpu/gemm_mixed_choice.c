/* gemm_mixed_choice.c: chooses how a product of short types is computed and, on a CPU with AMX,
 * whether its tile registers or vectors are used. SPDX-License-Identifier: MIT
 *
 * The time of each way is estimated as a sum of counts times measured costs, and the fastest way is
 * chosen. Estimates depend on sizes and transposes alone, because the rounding of the result
 * depends on the choice. They are integers, because floating-point arithmetic would raise exception
 * flags in products of integers. */
#include "cpu/gemm_mixed.h"

#include "cpu/gemm_blocks.h"

#include <stdatomic.h>
#include <stddef.h>

/* LINE: the bytes of a vector and of a row of a tile register; LANES: the lanes of a vector of
 * sums; TILE: the rows and columns of a tile of C; EIGHT: the dot products whose lanes are added
 * together. */
enum { LINE = 64, LANES = 16, TILE = 32, EIGHT = 8 };
/* For up to this many tiles of rows, interleaving the rows of B again for each tile is as fast as
 * packing B once. */
enum { FEW_TILES = 2 };
/* A product of fewer multiply-adds than FEW_PRODUCTS is always faster without tile registers. One
 * of more than MANY_PRODUCTS is always packed: its estimates would not fit into 64 bits, and could
 * not save any time. */
static const double FEW_PRODUCTS = 1024, MANY_PRODUCTS = 0x1p46;

/* Costs in picoseconds. They were fitted (least squares of the relative error) to the times of at
 * least 2000 products of each type, drawn like those of `gradus bench --preset random`, on one
 * thread of a fourth-generation Intel Xeon and of a fourth-generation AMD EPYC (Zen 4). Only their
 * ratios matter: a higher clock frequency changes all of them alike. */
struct costs {
    struct {
        int64_t call, run, eight; /* a call; 64 bytes along k; adding the lanes of 8 sums */
        int64_t gathered;         /* an element that is not contiguous */
    } dots;
    struct {
        int64_t call, multiplied, loaded, written; /* one vector of products, of B, of C */
        int64_t a_gathered, b_gathered;            /* a unit (4 bytes) that is not contiguous */
        int64_t tile;                              /* a tile of C, as large as the registers hold */
    } in_place;
    struct {
        int64_t call, multiplied, written; /* one vector of products, of C */
        int64_t a, a_turned;               /* packing an element of A, of a transposed A */
        int64_t b, b_turned;               /* packing a vector of B, an element of a transposed B */
        int64_t row, column;               /* a row of A; a column of B */
    } packed;
    struct {
        int64_t call, multiplied, written; /* 32 x 32 sums by 64 bytes of k; a vector of C */
        int64_t packed, a_turned;          /* 32 x 64 bytes; an element of a transposed A */
    } tiles;
};

/* The costs for 16-bit numbers and for bytes; the first entry is for CPUs without tile registers,
 * and the second one for CPUs with them. */
static const struct costs of_halves[2] = {
    {
        .dots = {129000, 672, 9874, 316},
        .in_place = {120000, 210, 600, 1176, 389, 1079, 4200},
        .packed = {240000, 264, 1217, 28, 149, 1021, 114, 1239, 547},
    },
    {
        .dots = {193000, 1079, 13800, 449},
        .in_place = {185000, 759, 1069, 1440, 493, 2058, 3378},
        .packed = {378000, 719, 2015, 63, 253, 1521, 127, 423, 548},
        .tiles = {770000, 85128, 2630, 12272, 108},
    },
};
static const struct costs of_bytes[2] = {
    {
        .dots = {140000, 760, 9330, 742},
        .in_place = {131000, 319, 1000, 1225, 2122, 1606, 8307},
        .packed = {245000, 254, 1225, 33, 95, 640, 62, 6026, 626},
    },
    {
        .dots = {271000, 1109, 15601, 1239},
        .in_place = {253000, 284, 1539, 1703, 3910, 2917, 23477},
        .packed = {495000, 191, 2682, 61, 204, 1255, 78, 9114, 1030},
        .tiles = {946000, 115003, 2833, 6554, 85},
    },
};

/* The micro-kernels of the level in use are kept, because searching for one takes longer than the
 * smallest products. */
static const struct gr_ukr_entry *entry_of(const struct gr_product *p, const struct gr_mixed *mixed,
                                           const char *isa, enum gr_ukr_kind kind)
{
    enum { TYPES = 8 };
    static _Atomic(const struct gr_ukr_entry *) found[TYPES][TYPES][2];
    if (isa)
        return gr_ukr_find(mixed->panel_types(p), isa, kind);
    _Atomic(const struct gr_ukr_entry *) *place = &found[p->a_type][p->b_type][kind];
    const struct gr_ukr_entry *entry = atomic_load_explicit(place, memory_order_relaxed);
    if (!entry) {
        entry = gr_ukr_find(mixed->panel_types(p), NULL, kind);
        atomic_store_explicit(place, entry, memory_order_relaxed);
    }
    return entry;
}

static const struct costs *costs_of(const struct gr_product *p, const struct gr_mixed *mixed)
{
    const bool has_tiles = entry_of(p, mixed, NULL, GR_UKR_ANY)->ukr->begin;
    return (p->a_bytes == 2 ? of_halves : of_bytes) + has_tiles;
}

static int64_t cost_of_dots(const struct costs *of, const struct gr_product *p,
                            const struct gr_mixed_form *f)
{
    return of->dots.call + f->m * f->n * gr_cdiv(f->k * p->a_bytes, LINE) * of->dots.run +
           f->m * gr_cdiv(f->n, EIGHT) * of->dots.eight +
           (f->a_gathered ? gr_cdiv(f->n, GR_MIXED_DOTS_A_TASK) * f->m * f->k * of->dots.gathered
                          : 0);
}

static int64_t cost_in_place(const struct costs *of, const struct gr_product *p,
                             const struct gr_mixed_form *f)
{
    const int64_t units = gr_cdiv(f->k * p->a_bytes, GR_MIXED_UNIT_BYTES);
    const int64_t wide = gr_cdiv(f->n, LANES), high = gr_cdiv(f->m, p->ukr->mr);
    return of->in_place.call + high * gr_cdiv(f->n, p->ukr->nr) * of->in_place.tile +
           f->m * wide * of->in_place.written +
           wide * units * (f->m * of->in_place.multiplied + high * of->in_place.loaded) +
           (f->a_gathered ? f->m * units * of->in_place.a_gathered : 0) +
           (f->b_gathered ? f->n * units * of->in_place.b_gathered : 0);
}

/* Whether lanes are not adjacent in memory. A single lane always counts as adjacent: its step may
 * be a leading dimension, on which the choice must not depend. */
static bool is_apart(int64_t lanes, int64_t step)
{
    return lanes > 1 && step != 1;
}

static int64_t cost_packed(const struct costs *of, const struct gr_product *p)
{
    const int64_t units = gr_cdiv(p->k * p->a_bytes, GR_MIXED_UNIT_BYTES);
    return of->packed.call + p->m * of->packed.row + p->n * of->packed.column +
           p->m * gr_cdiv(p->n, LANES) * (units * of->packed.multiplied + of->packed.written) +
           p->k * (p->m * (is_apart(p->m, p->a_col) ? of->packed.a_turned : of->packed.a) +
                   (is_apart(p->n, p->b_col) ? p->n * of->packed.b_turned
                                             : gr_cdiv(p->n, LANES) * of->packed.b));
}

static int64_t cost_in_tiles(const struct costs *of, const struct gr_product *p)
{
    const int64_t high = gr_cdiv(p->m, TILE), wide = gr_cdiv(p->n, TILE);
    return of->tiles.call +
           gr_cdiv(p->k * p->a_bytes, LINE) *
               (high * wide * of->tiles.multiplied + (high + wide) * of->tiles.packed) +
           p->m * gr_cdiv(p->n, LANES) * of->tiles.written +
           (is_apart(p->m, p->a_col) ? p->m * p->k * of->tiles.a_turned : 0);
}

static void take_cheaper(struct gr_mixed_form *best, struct gr_mixed_form form, int64_t cost)
{
    form.cost = cost;
    if (cost < best->cost)
        *best = form;
}

/* Estimates dot products: one operand has few rows (or columns), which may be copied, and the other
 * one is contiguous along k or has only one column. */
static void try_dots(const struct costs *of, const struct gr_product *p, struct gr_mixed_form *best)
{
    const bool one = p->m == 1 && p->n == 1;
    if (p->k == 1 && !one)
        return;
    if (p->m <= GR_MIXED_DOT_ROWS && !is_apart(p->n, p->b_row)) {
        const struct gr_mixed_form f = {
            GR_MIXED_DOTS, false, p->m, p->n, p->k, is_apart(p->m, p->a_col), false, 0};
        take_cheaper(best, f, cost_of_dots(of, p, &f));
    }
    if (p->n <= GR_MIXED_DOT_ROWS && !one && !is_apart(p->m, p->a_col)) {
        const struct gr_mixed_form f = {
            GR_MIXED_DOTS, true, p->n, p->m, p->k, is_apart(p->n, p->b_row), false, 0};
        take_cheaper(best, f, cost_of_dots(of, p, &f));
    }
}

/* Estimates operands in place: vectors run along the rows of B, which are contiguous, or transposed
 * if k is short; or, for a C of one column, along the columns of A. */
static void try_in_place(const struct costs *of, const struct gr_product *p,
                         struct gr_mixed_form *best)
{
    const bool is_short = p->k * p->b_bytes <= GR_MIXED_FEW_UNITS * GR_MIXED_UNIT_BYTES;
    const bool turns = is_apart(p->n, p->b_col);
    if (is_short || (!turns && p->m <= FEW_TILES * p->ukr->mr)) {
        const struct gr_mixed_form f = {GR_MIXED_IN_PLACE,        false, p->m, p->n, p->k,
                                        is_apart(p->m, p->a_col), turns, 0};
        take_cheaper(best, f, cost_in_place(of, p, &f));
    }
    if (p->n == 1 && p->m > 1 && p->a_row == 1) {
        const struct gr_mixed_form f = {GR_MIXED_IN_PLACE, true, 1, p->m, p->k, false, false, 0};
        take_cheaper(best, f, cost_in_place(of, p, &f));
    }
}

struct gr_mixed_form gr_gemm_mixed_form(const struct gr_product *p, const struct gr_mixed *mixed)
{
    const struct costs *of = costs_of(p, mixed);
    struct gr_mixed_form best = {GR_MIXED_PACKED, false, p->m, p->n, p->k, false, false, INT64_MAX};
    if (gr_gemm_work(p) > MANY_PRODUCTS)
        return best;
    best.cost = cost_packed(of, p);
    if (!p->ukr->run_in_place || p->c_bytes != p->bytes || p->a_panels || p->b_panels)
        return best;
    try_dots(of, p, &best);
    try_in_place(of, p, &best);
    /* Packed operands give the same bits as operands in place, so this choice may depend on the
     * leading dimension of C. */
    if (best.way == GR_MIXED_IN_PLACE && best.exchanged && p->ldc != 1)
        best.way = GR_MIXED_PACKED;
    return best;
}

/* An operand that is packed beforehand is always packed for tile registers: the other operand,
 * whose size is 0 then, is not known yet. */
static bool has_choice(const struct gr_product *p, const struct gr_ukr_entry *best)
{
    return best && best->ukr->begin && p->m > 0 && p->n > 0;
}

/* Whether vectors are estimated to be faster than tile registers. The product's micro-kernel is the
 * one for vectors. */
static bool vectors_are_faster(const struct gr_product *p, const struct gr_mixed *mixed)
{
    const double work = gr_gemm_work(p);
    return work < FEW_PRODUCTS ||
           (work <= MANY_PRODUCTS &&
            gr_gemm_mixed_form(p, mixed).cost < cost_in_tiles(costs_of(p, mixed), p));
}

bool gr_gemm_mixed_prepare(struct gr_product *p, const struct gr_mixed *mixed, const char *isa)
{
    const struct gr_ukr_entry *best = entry_of(p, mixed, isa, GR_UKR_ANY);
    if (!has_choice(p, best))
        return gr_gemm_use(p, best);
    return (gr_gemm_use(p, entry_of(p, mixed, isa, GR_UKR_OF_VECTORS)) &&
            vectors_are_faster(p, mixed)) ||
           gr_gemm_use(p, best);
}

void gr_gemm_mixed_describe_choice(const struct gr_product *p, const struct gr_mixed *mixed,
                                   struct gr_dispatch *dispatch)
{
    const char *isa = gr_isa_level(gr_isa_find(p->ukr->isa))->name;
    struct gr_product in_vectors = *p;
    if (p->a_panels || p->b_panels || !has_choice(p, entry_of(p, mixed, isa, GR_UKR_ANY)) ||
        !gr_gemm_use(&in_vectors, entry_of(p, mixed, isa, GR_UKR_OF_VECTORS)))
        return;
    dispatch->in_vectors = gr_gemm_mixed_form(&in_vectors, mixed).cost;
    dispatch->in_tiles = cost_in_tiles(costs_of(p, mixed), p);
}
