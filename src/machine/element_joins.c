/* element_joins.c: atomic operations on the elements of memory.
 * SPDX-License-Identifier: MIT
 *
 * Other host threads may change the same element at the same time, so each is changed by a
 * compare-and-swap of the host. */
#include "machine/element_joins.h"

#include "machine/convert.h"

#include <math.h>
#include <string.h>

int gr_element_bytes(enum gr_element element)
{
    static const uint8_t bytes[GR_ELEMENTS] = {4, 4, 8, 8, 2, 2, 4, 4, 8};
    return bytes[element];
}

/* The combinations that the PTX ISA lists for red and cp.reduce.async.bulk. */
bool gr_join_exists(struct gr_join j)
{
    const bool is_float = j.element >= GR_ELEMENT_F16, wide = j.element >= GR_ELEMENT_F32;
    switch (j.operation) {
    case GR_JOIN_ADD:
        return true;
    case GR_JOIN_MIN:
    case GR_JOIN_MAX:
        return !is_float || !wide;
    case GR_JOIN_INC:
    case GR_JOIN_DEC:
        return j.element == GR_ELEMENT_U32;
    case GR_JOIN_AND:
    case GR_JOIN_OR:
    case GR_JOIN_XOR:
        return !is_float;
    default:
        return false;
    }
}

/* ---- One element. ---- */

static uint64_t integer(struct gr_join j, uint64_t old, uint64_t value)
{
    const bool narrow = gr_element_bytes(j.element) == 4;
    const bool is_signed = j.element == GR_ELEMENT_S32 || j.element == GR_ELEMENT_S64;
    const int64_t a = narrow ? (int32_t)old : (int64_t)old;
    const int64_t b = narrow ? (int32_t)value : (int64_t)value;
    const bool less = is_signed ? a < b : old < value;
    switch (j.operation) {
    case GR_JOIN_ADD:
        return old + value;
    case GR_JOIN_MIN:
        return less ? old : value;
    case GR_JOIN_MAX:
        return less ? value : old;
    case GR_JOIN_INC:
        return old >= value ? 0 : old + 1;
    case GR_JOIN_DEC:
        return old == 0 || old > value ? value : old - 1;
    case GR_JOIN_AND:
        return old & value;
    case GR_JOIN_OR:
        return old | value;
    default:
        return old ^ value;
    }
}

static float float_of(uint64_t bits, enum gr_format format)
{
    uint32_t word = (uint32_t)gr_number_write(gr_number_read(bits, format), GR_FORMAT_F32,
                                              GR_ROUND_NEAREST, false);
    float x;
    memcpy(&x, &word, 4);
    return x;
}

static uint64_t half_of(float x, enum gr_format format)
{
    uint32_t word;
    memcpy(&word, &x, 4);
    return gr_number_write(gr_number_read(word, GR_FORMAT_F32), format, GR_ROUND_NEAREST, false);
}

/* A float has more than twice the bits of a half, so rounding a sum in float again gives the same
 * as rounding the exact sum. As for min in PTX, the minimum of a NaN and a number is the number,
 * and -0 is less than 0. */
static uint64_t half(struct gr_join j, uint64_t old, uint64_t value)
{
    const enum gr_format format = j.element == GR_ELEMENT_F16 ? GR_FORMAT_F16 : GR_FORMAT_BF16;
    const uint64_t nan = 0x7fff;
    const float a = float_of(old, format), b = float_of(value, format);
    if (j.operation == GR_JOIN_ADD)
        return isnan(a + b) ? nan : half_of(a + b, format);
    if (isnan(a) || isnan(b))
        return !isnan(a) ? old : !isnan(b) ? value : nan;
    const bool less = a < b || (a == b && signbit(a) && !signbit(b));
    return less == (j.operation == GR_JOIN_MIN) ? old : value;
}

static float flush(float x, bool flushes)
{
    return flushes && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static uint64_t add_float(struct gr_join j, uint64_t old, uint64_t value)
{
    const bool flushes = j.element == GR_ELEMENT_F32_FTZ;
    float a, b;
    uint32_t bits = (uint32_t)old, other = (uint32_t)value;
    memcpy(&a, &bits, 4);
    memcpy(&b, &other, 4);
    a = flush(flush(a, flushes) + flush(b, flushes), flushes);
    memcpy(&bits, &a, 4);
    return isnan(a) ? 0x7fffffff : bits;
}

static uint64_t add_double(uint64_t old, uint64_t value)
{
    double a, b;
    memcpy(&a, &old, 8);
    memcpy(&b, &value, 8);
    a += b;
    memcpy(&old, &a, 8);
    return isnan(a) ? UINT64_C(0xfff8000000000000) : old;
}

static uint64_t join(struct gr_join j, uint64_t old, uint64_t value)
{
    switch (j.element) {
    case GR_ELEMENT_F16:
    case GR_ELEMENT_BF16:
        return half(j, old, value);
    case GR_ELEMENT_F32:
    case GR_ELEMENT_F32_FTZ:
        return add_float(j, old, value);
    case GR_ELEMENT_F64:
        return add_double(old, value);
    default:
        return integer(j, old, value);
    }
}

/* ---- Memory. ---- */

static uint64_t exchange_16(struct gr_join j, unsigned char *at, uint64_t value)
{
    uint16_t *word = (uint16_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint16_t)join(j, old, value), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t exchange_32(struct gr_join j, unsigned char *at, uint64_t value)
{
    uint32_t *word = (uint32_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)join(j, old, value), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t exchange_64(struct gr_join j, unsigned char *at, uint64_t value)
{
    uint64_t *word = (uint64_t *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, join(j, old, value), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

void gr_join_elements(struct gr_join j, unsigned char *at, const unsigned char *from,
                      uint32_t bytes, unsigned char *old)
{
    const uint32_t each = (uint32_t)gr_element_bytes(j.element);
    for (uint32_t i = 0; i + each <= bytes; i += each) {
        uint64_t value = 0, before;
        memcpy(&value, from + i, each);
        before = each == 2   ? exchange_16(j, at + i, value)
                 : each == 4 ? exchange_32(j, at + i, value)
                             : exchange_64(j, at + i, value);
        if (old)
            memcpy(old + i, &before, each);
    }
}
