/* bf16.c: arrays of bfloat16 from float and back. SPDX-License-Identifier: MIT */
#include "cpu/bf16.h"

#include <gradus/gradus.h>

void gradus_bf16_from_f32(const float *from, uint16_t *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = gr_bf16_from_f32(from[i]);
}

void gradus_bf16_to_f32(const uint16_t *from, float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = gr_bf16_to_f32(from[i]);
}
