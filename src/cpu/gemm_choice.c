/* gemm_choice.c: chooses the path of a small product. SPDX-License-Identifier: MIT */
#include "cpu/gemm_choice.h"

#include "cpu/gemm_blocks.h"

_Atomic(uint64_t) gr_choices[1 << GR_CHOICES_LOG2];

/* Whether one call of the micro-kernel covers all of k: as one block, or as the blocks of a product
 * with few sums (gemm_few_sums.c). */
static bool is_one_pass(const struct gr_product *p)
{
    return p->k <= p->ukr->kc || p->few_sums_log2;
}

/* Whether one operand is read in place and the other one is transposed completely, in one copy. */
static bool transposes(const struct gr_product *p, enum gr_direction direction)
{
    switch (direction) {
    case GR_ALONG_COLUMNS:
        return p->a_row != 1 && is_one_pass(p) && gr_gemm_columns_strips(p) == 1;
    case GR_ALONG_ROWS:
        return gr_gemm_is_transposed_at_once(p);
    default:
        return gr_gemm_dots_is_with_copy(p);
    }
}

static bool is_one_call(const struct gr_product *p, enum gr_direction direction)
{
    switch (direction) {
    case GR_ALONG_COLUMNS:
        return p->a_row == 1 && is_one_pass(p);
    case GR_ALONG_K:
        return gr_gemm_dots_in_place(p);
    default:
        return p->b_col == 1 && gr_gemm_unpacked_parts(p) == 1 && !gr_gemm_is_row_by_row(p);
    }
}

struct gr_small_choice gr_gemm_small_choice(const struct gr_product *p)
{
    struct gr_small_choice c = {.tail = gr_gemm_tail_columns(p)};
    if (c.tail) {
        const struct gr_product last = gr_gemm_columns_of(p, p->n - c.tail, c.tail);
        c.of_tail = gr_gemm_direction_of_small(&last);
    } else {
        c.direction = gr_gemm_direction_of_small(p);
        c.transposes = transposes(p, c.direction);
        c.one_call = c.transposes || is_one_call(p, c.direction);
        c.exchanged = c.direction == GR_ALONG_K && gr_gemm_dots_turned(p);
        c.stores_wait = c.direction == GR_ALONG_ROWS      ? gr_gemm_stores_wait(p)
                        : c.direction == GR_ALONG_COLUMNS ? gr_gemm_column_waits(p)
                                                          : 0;
        c.narrow = c.direction == GR_ALONG_K && gr_gemm_ukr_for_dots(p, p->k) != p->ukr;
        c.few_sums_log2 = p->few_sums_log2;
    }
    return c;
}
