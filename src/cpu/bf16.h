/* bf16.h: conversions of bfloat16, which is the upper half of a float.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_BF16_H
#define CPU_BF16_H

#include <stdint.h>
#include <string.h>

static inline float gr_bf16_to_f32(uint16_t x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Rounds to nearest, ties to even. A NaN is made quiet, because the bits that make it a NaN could
 * otherwise be cut off. */
static inline uint16_t gr_bf16_from_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

#endif
