/* driver_planted.c: operand types that are added by the test of "one file".
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

static bool prepare(struct gr_product *product, const char *isa)
{
    (void)product;
    (void)isa;
    return false;
}

const struct gr_driver gr_driver_planted = {
    .a_types = 1u << GRADUS_S32,
    .b_types = 1u << GRADUS_S32,
    .c_types = 1u << GRADUS_S32,
    .sum_types = 1u << GRADUS_S32,
    .prepare = prepare,
};
