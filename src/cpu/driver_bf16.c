/* driver_bf16.c: products of bfloat16 with sums in float. SPDX-License-Identifier: MIT
 *
 * If the CPU has no instructions for bfloat16, operands are converted to float while they are
 * packed, and the micro-kernel for float multiplies them. Each product of two bfloat16 numbers is
 * exact in float, and each sum is rounded to float. */
#include "cpu/gemm_mixed.h"

#include <stddef.h>

static const char *const *panel_types(const struct gr_product *p)
{
    static const char *const types[] = {"bf16", "f32", NULL};
    (void)p;
    return types;
}

static bool in_pairs(const struct ukr *ukr)
{
    return ukr->type[0] == 'b'; /* "bf16"; the other type is "f32" */
}

static int64_t a_bytes(const struct ukr *ukr, int64_t depth)
{
    return ukr->mr * (in_pairs(ukr) ? ukr_row_bytes(depth, 2) : depth * 4);
}

static int64_t b_bytes(const struct ukr *ukr, int64_t depth)
{
    return ukr->nr * (in_pairs(ukr) ? ukr_row_bytes(depth, 2) - UKR_HEAD : depth * 4);
}

static void pack_a(const struct gr_product *p, char *panels, int64_t i, int64_t lanes, int64_t from,
                   int64_t depth)
{
    const uint16_t *a = (const uint16_t *)(const void *)p->a + i * p->a_row + from * p->a_col;
    if (in_pairs(p->ukr))
        p->functions->pack_short->rows(panels, (const char *)a, lanes, depth, p->ukr->mr, p->a_row,
                                       p->a_col, GR_HALVES, gr_mixed_whole_panels(p->ukr));
    else
        p->functions->pack_bf16((float *)(void *)panels, a, lanes, depth, p->ukr->mr, p->a_row,
                                p->a_col);
}

static void pack_b(const struct gr_product *p, char *panels, int64_t j, int64_t lanes, int64_t from,
                   int64_t depth)
{
    const uint16_t *b = (const uint16_t *)(const void *)p->b + from * p->b_row + j * p->b_col;
    if (in_pairs(p->ukr))
        p->functions->pack_short->units(panels, (const char *)b, lanes, depth, p->ukr->nr, p->b_col,
                                        p->b_row, GR_HALVES, gr_mixed_whole_panels(p->ukr));
    else
        p->functions->pack_bf16((float *)(void *)panels, b, lanes, depth, p->ukr->nr, p->b_col,
                                p->b_row);
}

static bool a_in_place(const struct gr_product *p)
{
    return gr_mixed_rows_usable_unpacked(p, 2);
}

static const struct gr_mixed mixed = {panel_types, a_bytes,    b_bytes, pack_a,
                                      pack_b,      a_in_place, NULL};

static bool prepare(struct gr_product *p, const char *isa)
{
    return gr_gemm_mixed_prepare(p, &mixed, isa);
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
        in_pairs(p->ukr)
            ? "bf16 is multiplied in pairs"
            : "bf16 is converted to f32 by packing: this CPU has no instructions for it";
}

const struct gr_driver gr_driver_bf16 = {
    .a_types = 1u << GRADUS_BF16,
    .b_types = 1u << GRADUS_BF16,
    .c_types = 1u << GRADUS_F32 | 1u << GRADUS_BF16,
    .sum_types = 1u << GRADUS_F32,
    .prepare = prepare,
    .threads_worth = gr_gemm_threads_worth,
    .run_small = run_small,
    .run = run,
    .workspace_bytes = workspace_bytes,
    .pack_whole = pack_whole,
    .describe = describe,
};
