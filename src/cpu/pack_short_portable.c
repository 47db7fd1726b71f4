/* pack_short_portable.c: packing short elements on any machine. SPDX-License-Identifier: MIT */
#include "cpu/pack_short.h"

#include <stddef.h>

typedef struct {
    int32_t units[16];
} R;

/* The 16-bit type through which units are written; it may alias them. */
typedef int16_t half __attribute__((may_alias));

/* Converts `count` elements of `source` to bytes or 16-bit elements, `stride` elements apart in
 * `to`. */
static inline void convert(char *to, int64_t stride, const char *source, int64_t count,
                           enum gr_short_form form)
{
    half *halves = (half *)(void *)to;
    switch (form) {
    case GR_BYTES:
    case GR_BYTES_FLIP:
        for (int64_t i = 0; i < count; i++)
            to[i * stride] = (char)(source[i] ^ (form == GR_BYTES_FLIP ? 0x80 : 0));
        break;
    case GR_SIGNED_TO_16:
        for (int64_t i = 0; i < count; i++)
            halves[i * stride] = ((const int8_t *)source)[i];
        break;
    case GR_UNSIGNED_TO_16:
        for (int64_t i = 0; i < count; i++)
            halves[i * stride] = ((const uint8_t *)source)[i];
        break;
    case GR_HALVES:
        for (int64_t i = 0; i < count; i++)
            halves[i * stride] = ((const half *)(const void *)source)[i];
        break;
    }
}

static inline __attribute__((always_inline)) R load_run(const char *source, int64_t count,
                                                        enum gr_short_form form)
{
    R r = {{0}};
    convert((char *)r.units, 1, source, count, form);
    return r;
}

static inline __attribute__((always_inline)) R
load_unit(const char *source, int64_t stride, int64_t steps, int64_t lanes, enum gr_short_form form)
{
    const int64_t from = gr_short_from(form), to = gr_short_to(form);
    R r = {{0}};
    for (int64_t s = 0; s < steps; s++)
        convert((char *)r.units + s * to, 4 / to, source + s * stride * from, lanes, form);
    return r;
}

static inline void transpose(R r[16])
{
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < i; j++) {
            const int32_t unit = r[i].units[j];
            r[i].units[j] = r[j].units[i];
            r[j].units[i] = unit;
        }
}

static inline __attribute__((always_inline)) void store_units(char *p, R r, int64_t count)
{
    __builtin_memcpy(p, r.units, (size_t)count * sizeof *r.units);
}

static inline uint32_t sum_row(const char *row, int64_t bytes, bool is_signed)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < bytes; i++)
        sum += is_signed ? (uint32_t)((const int8_t *)row)[i] : ((const uint8_t *)row)[i];
    return sum;
}

#define PACK_SHORT_OPERATIONS
#include "cpu/pack_short_loops.h"

const struct gr_short_packing gr_short_packing_portable = {rows, units, sum_rows};
