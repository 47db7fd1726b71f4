/* gemm_float.c: the functions that the drivers of float and double have in common.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include <limits.h>

/* A stride along a dimension of one element is never used, so it can be set to 1. The operand is
 * then contiguous in that direction, and can be read in place. */
static void free_strides(struct gr_product *p)
{
    if (p->m == 1)
        p->a_row = 1;
    if (p->n == 1)
        p->b_col = 1;
    if (p->k == 1)
        p->a_col = p->b_row = 1;
}

bool gr_gemm_prepare_float(struct gr_product *p, enum gr_dtype type, const char *isa)
{
    free_strides(p);
    const bool found = gr_gemm_use(p, gr_ukr_entry(type, isa));
    p->few_sums_log2 = found ? gr_gemm_find_few_sums(p) : 0;
    return found;
}

int gr_gemm_threads_worth(const struct gr_product *p)
{
    return gr_gemm_work(p) <= GR_THREADS_PAY ? 1 : INT_MAX;
}

int64_t gr_gemm_pack_whole(const struct gr_product *p, bool as_b, char *panels)
{
    const int64_t lanes = as_b ? p->n : p->m, width = as_b ? p->ukr->nr : p->ukr->mr;
    const int64_t lane_stride = as_b ? p->b_col : p->a_row;
    const int64_t step_stride = as_b ? p->b_row : p->a_col;
    const char *from = as_b ? p->b : p->a;
    int64_t bytes = (lanes + width - 1) / width;
    if (__builtin_mul_overflow(bytes, width * p->bytes, &bytes) ||
        __builtin_mul_overflow(bytes, p->k, &bytes))
        return -1;
    if (panels && bytes && p->bytes == 4)
        p->functions->pack_f32((float *)panels, (const float *)from, lanes, p->k, width,
                               lane_stride, step_stride);
    else if (panels && bytes)
        p->functions->pack_f64((double *)panels, (const double *)from, lanes, p->k, width,
                               lane_stride, step_stride);
    return bytes;
}
