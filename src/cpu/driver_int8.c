/* driver_int8.c: products of 8-bit integers, exact modulo 2^32. SPDX-License-Identifier: MIT
 *
 * Some CPUs can multiply only unsigned by signed bytes. For these, 128 is added to or subtracted
 * from the bytes of B:
 *
 *     sum a*b = sum a*(b + 128) - 128 * sum a       signed b, made unsigned
 *     sum a*b = sum a*(b - 128) + 128 * sum a       unsigned b, made signed
 *
 * The sums of a row of C therefore start from a multiple of the sum of that row of A. Packing
 * stores this number at the head of the packed row. A itself is not changed. */
#include "cpu/gemm_mixed.h"

#include <limits.h>
#include <stddef.h>

/* Below this many multiply-adds, waking a second thread takes longer than it saves. */
static const double THREADS_PAY = 144.0 * 144.0 * 144.0;

/* The contents of the panels of A and B, best first, by the signedness of A and of B: the operands'
 * own bytes, bytes of B to which 128 was added or from which it was subtracted, or bytes widened to
 * 16 bits. */
static const char *const types_of_panels[2][2][4] = {
    {{"s8s8", "s8u8", "s16", NULL}, {"s8u8", "s16", NULL}},
    {{"u8s8", "s16", NULL}, {"u8u8", "u8s8", "s16", NULL}},
};

static bool is_unsigned(enum gradus_type type)
{
    return type == GRADUS_U8;
}

static const char *const *panel_types(const struct gr_product *p)
{
    return types_of_panels[is_unsigned(p->a_type)][is_unsigned(p->b_type)];
}

static bool widens(const struct ukr *ukr)
{
    return ukr->type[1] == '1'; /* "s16", not "s8…" or "u8…" */
}

/* Whether the signedness of B is changed while it is packed. */
static bool flips(const struct gr_product *p)
{
    return !widens(p->ukr) && (p->ukr->type[2] == 'u') != is_unsigned(p->b_type);
}

static enum gr_short_form form_of(const struct gr_product *p, enum gradus_type type, bool flip)
{
    if (widens(p->ukr))
        return is_unsigned(type) ? GR_UNSIGNED_TO_16 : GR_SIGNED_TO_16;
    return flip ? GR_BYTES_FLIP : GR_BYTES;
}

/* The factor of the sum of a row of A in the equations above. */
static int32_t factor_of(const struct gr_product *p)
{
    return is_unsigned(p->b_type) ? 128 : -128;
}

static int64_t element(const struct ukr *ukr)
{
    return widens(ukr) ? 2 : 1;
}

static int64_t a_bytes(const struct ukr *ukr, int64_t depth)
{
    return ukr->mr * ukr_row_bytes(depth, element(ukr));
}

static int64_t b_bytes(const struct ukr *ukr, int64_t depth)
{
    return ukr->nr * (ukr_row_bytes(depth, element(ukr)) - UKR_HEAD);
}

static void pack_a(const struct gr_product *p, char *panels, int64_t i, int64_t lanes, int64_t from,
                   int64_t depth)
{
    const struct gr_short_packing *packing = p->functions->pack_short;
    packing->rows(panels, p->a + i * p->a_row + from * p->a_col, lanes, depth, p->ukr->mr, p->a_row,
                  p->a_col, form_of(p, p->a_type, false), gr_mixed_whole_panels(p->ukr));
    const int64_t row_bytes = ukr_row_bytes(depth, 1);
    if (!flips(p))
        return;
    for (int64_t row = 0; row < lanes; row++, panels += row_bytes)
        packing->sum_rows((int32_t *)(void *)panels, panels + UKR_HEAD, 1, depth, 0,
                          !is_unsigned(p->a_type), factor_of(p));
}

static bool a_in_place(const struct gr_product *p)
{
    return !widens(p->ukr) && gr_mixed_rows_usable_unpacked(p, 4);
}

/* Computes the same numbers for rows of A whose elements are not contiguous. */
static void sum_columns(const struct gr_product *p, int32_t *sums, int64_t i, int64_t lanes,
                        int64_t from, int64_t depth)
{
    for (int64_t x = 0; x < lanes; x++) {
        const char *a = p->a + (i + x) * p->a_row + from * p->a_col;
        uint32_t sum = 0;
        for (int64_t s = 0; s < depth; s++, a += p->a_col)
            sum += is_unsigned(p->a_type) ? *(const uint8_t *)a
                                          : (uint32_t) * (const int8_t *)(const void *)a;
        sums[x] = (int32_t)((uint32_t)factor_of(p) * sum);
    }
}

static bool starts_of(const struct gr_product *p, int32_t *starts, int64_t i, int64_t lanes,
                      int64_t from, int64_t depth)
{
    if (!flips(p))
        return false;
    if (p->a_col == 1)
        p->functions->pack_short->sum_rows(starts, p->a + i * p->a_row + from, lanes, depth,
                                           p->a_row, !is_unsigned(p->a_type), factor_of(p));
    else
        sum_columns(p, starts, i, lanes, from, depth);
    return true;
}

static void pack_b(const struct gr_product *p, char *panels, int64_t j, int64_t lanes, int64_t from,
                   int64_t depth)
{
    p->functions->pack_short->units(panels, p->b + from * p->b_row + j * p->b_col, lanes, depth,
                                    p->ukr->nr, p->b_col, p->b_row, form_of(p, p->b_type, flips(p)),
                                    gr_mixed_whole_panels(p->ukr));
}

static const struct gr_mixed mixed = {panel_types, a_bytes,    b_bytes,  pack_a,
                                      pack_b,      a_in_place, starts_of};

static bool prepare(struct gr_product *p, const char *isa)
{
    return gr_gemm_mixed_prepare(p, &mixed, isa);
}

static int threads_worth(const struct gr_product *p)
{
    return (double)p->m * (double)p->n * (double)p->k <= THREADS_PAY ? 1 : INT_MAX;
}

static bool run_small(const struct gr_product *p)
{
    return gr_gemm_mixed_small(p, &mixed);
}

static void run(const struct gr_product *p, struct gr_workspace *workspace)
{
    gr_gemm_mixed(p, &mixed, workspace);
}

static int64_t workspace_bytes(const struct gr_product *p, int threads)
{
    return gr_gemm_mixed_bytes(p, &mixed, threads);
}

static int64_t pack_whole(const struct gr_product *p, bool as_b, char *panels)
{
    return gr_gemm_mixed_whole(p, &mixed, as_b, panels);
}

static void describe(const struct gr_product *p, int threads, struct gr_dispatch *dispatch)
{
    gr_gemm_mixed_describe_choice(p, &mixed, dispatch);
    if (gr_gemm_in_place_describe(p, &mixed, dispatch))
        return;
    gr_gemm_mixed_describe(p, &mixed, threads, dispatch);
    dispatch->why =
        widens(p->ukr) ? "bytes become 16 bits wide as they are packed"
        : flips(p)
            ? "128 is added to or subtracted from the bytes of B, as the instruction requires"
            : "bytes are multiplied as they are";
}

const struct gr_driver gr_driver_int8 = {
    .a_types = 1u << GRADUS_S8 | 1u << GRADUS_U8,
    .b_types = 1u << GRADUS_S8 | 1u << GRADUS_U8,
    .c_types = 1u << GRADUS_S32,
    .sum_types = 1u << GRADUS_S32,
    .prepare = prepare,
    .threads_worth = threads_worth,
    .run_small = run_small,
    .run = run,
    .workspace_bytes = workspace_bytes,
    .pack_whole = pack_whole,
    .describe = describe,
};
