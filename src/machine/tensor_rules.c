/* tensor_rules.c: how the tensor cores of each architecture add. docs/tensor-cores.md gives the
 * source of each line. SPDX-License-Identifier: MIT */
#include "machine/tensor_sums.h"

#include <stddef.h>

/* A line holds for compute capabilities `from` to `to`. unit and half: -1 stands for both. */
static const struct line {
    int16_t from, to;
    int8_t unit, half;
    enum gr_tensor_type first, last;
    struct gr_tensor_rule rule;
} lines[] = {
    {75, 75, 0, 0, GR_TENSOR_F16, GR_TENSOR_F16, {8, 24, 23, false, -132, false}},
    {75, 75, 0, 1, GR_TENSOR_F16, GR_TENSOR_F16, {8, 24, 10, true, -20, false}},
    {80, 89, 0, 0, GR_TENSOR_F16, GR_TENSOR_BF16, {8, 24, 23, false, -132, false}},
    {80, 89, 0, 1, GR_TENSOR_F16, GR_TENSOR_F16, {8, 24, 10, true, -20, false}},
    {80, 89, 0, 0, GR_TENSOR_TF32, GR_TENSOR_TF32, {4, 24, 23, false, -132, false}},
    {89, 89, 0, 0, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {16, 13, 13, false, -132, false}},
    {89, 89, 0, 1, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {16, 13, 10, true, -132, false}},
    {90, 90, -1, 0, GR_TENSOR_F16, GR_TENSOR_TF32, {16, 25, 23, false, -133, true}},
    {90, 90, -1, 1, GR_TENSOR_F16, GR_TENSOR_F16, {16, 25, 10, true, -21, true}},
    {90, 90, 1, 0, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {32, 13, 13, false, -133, true}},
    {90, 90, 1, 1, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {32, 13, 10, true, -133, true}},
    {100, 129, 0, 0, GR_TENSOR_F16, GR_TENSOR_TF32, {16, 25, 23, false, -133, false}},
    {100, 129, 0, 1, GR_TENSOR_F16, GR_TENSOR_F16, {16, 25, 10, true, -21, false}},
    {100, 129, 0, 0, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {32, 25, 23, false, -133, false}},
    {100, 129, 0, 1, GR_TENSOR_E4M3, GR_TENSOR_E5M2, {32, 25, 10, true, -21, false}},
};

const struct gr_tensor_rule *gr_tensor_rule_of(int cc, enum gr_tensor_unit unit,
                                               enum gr_tensor_type type, bool half)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct line *line = &lines[i];
        if (line->from <= cc && cc <= line->to && (line->unit < 0 || line->unit == (int)unit) &&
            (line->half < 0 || line->half == half) && line->first <= type && type <= line->last) {
            return &line->rule;
        }
    }
    return NULL;
}
