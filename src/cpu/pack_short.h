/* pack_short.h: packing blocks of short elements into the micro-panels that their micro-kernels
 * read (kernels/cpu/ukr.h, "short types"). SPDX-License-Identifier: MIT */
#ifndef CPU_PACK_SHORT_H
#define CPU_PACK_SHORT_H

#include <stdbool.h>
#include <stdint.h>

/* How an element of the source becomes one of a panel. */
enum gr_short_form {
    GR_BYTES,      /* a byte is copied */
    GR_BYTES_FLIP, /* its highest bit is flipped: s8 becomes u8 plus 128, u8 becomes s8 minus 128 */
    GR_SIGNED_TO_16,   /* s8 is widened to 16 bits */
    GR_UNSIGNED_TO_16, /* u8 is widened to 16 bits */
    GR_HALVES,         /* 16 bits are copied */
};

/* Bytes of an element of the source, and of an element of a panel. */
static inline int64_t gr_short_from(enum gr_short_form form)
{
    return form == GR_HALVES ? 2 : 1;
}

static inline int64_t gr_short_to(enum gr_short_form form)
{
    return form <= GR_BYTES_FLIP ? 1 : 2;
}

/* Both functions pack `lanes` x `depth` elements into panels of `width` lanes, one after the other.
 * Element (i, p) is at source[i*lane_stride + p*step_stride]. If the last panel has more lanes than
 * there are, the others are zero. Strides are in elements; one of them is 1.
 *
 * This one packs rows of A; the sums of each row start from 0. Unless panels must be `whole`, rows
 * beyond the lanes are not written. */
typedef void gr_pack_rows_fn(char *panels, const char *source, int64_t lanes, int64_t depth,
                             int64_t width, int64_t lane_stride, int64_t step_stride,
                             enum gr_short_form form, bool whole);
/* This one packs units of B. Unless panels must be `whole`, units beyond the depth, and vectors of
 * 16 lanes that contain no lane, are not written. */
typedef void gr_pack_units_fn(char *panels, const char *source, int64_t lanes, int64_t depth,
                              int64_t width, int64_t lane_stride, int64_t step_stride,
                              enum gr_short_form form, bool whole);
/* sums[i] = `factor` times the sum of `depth` bytes at source + i*lane_stride, modulo 2^32. */
typedef void gr_sum_rows_fn(int32_t *sums, const char *source, int64_t lanes, int64_t depth,
                            int64_t lane_stride, bool is_signed, int32_t factor);

/* The three functions of an instruction set. */
struct gr_short_packing {
    gr_pack_rows_fn *rows;
    gr_pack_units_fn *units;
    gr_sum_rows_fn *sum_rows;
};
/* The versions of the instruction sets (cpu/isa.h). */
extern const struct gr_short_packing gr_short_packing_portable, gr_short_packing_avx512;

#endif
