/* convert.h: reads and writes floating-point formats exactly. SPDX-License-Identifier: MIT */
#ifndef MACHINE_CONVERT_H
#define MACHINE_CONVERT_H

#include "machine/lane_functions.h"

enum gr_format {
    GR_FORMAT_F16,
    GR_FORMAT_BF16,
    GR_FORMAT_F32,
    GR_FORMAT_F64,
    GR_FORMAT_TF32, /* in the upper bits of a float */
    GR_FORMAT_E4M3,
    GR_FORMAT_E5M2,
    GR_FORMAT_E2M3,
    GR_FORMAT_E3M2,
    GR_FORMAT_E2M1,
    GR_FORMAT_E8M0
};

/* A number as its sign and mantissa * 2^exponent. */
struct gr_number {
    enum { GR_NUMBER_FINITE, GR_NUMBER_INFINITE, GR_NUMBER_NAN } class;
    bool negative;
    int exponent;
    uint64_t mantissa;
};

/* A further rounding mode, beside GR_ROUND_NEAREST to GR_ROUND_ZERO: */
enum { GR_ROUND_AWAY = 4 }; /* to nearest, ties away from zero */

struct gr_number gr_number_read(uint64_t bits, enum gr_format format);
/* Rounds the number to a format. `finite`: a number that is too large becomes the largest finite
 * one. */
uint64_t gr_number_write(struct gr_number x, enum gr_format format, int rounding, bool finite);
/* Rounds to an integer; the result is a number still. */
struct gr_number gr_number_integral(struct gr_number x, int rounding);
/* Converts to an integer of this many bits, clamped. NaN becomes the integer of which only the
 * highest bit is set. */
uint64_t gr_number_integer(struct gr_number x, int bits, bool is_unsigned, int rounding);
/* Converts a NaN to another format. It becomes quiet, and keeps as much of its mantissa as fits. */
uint64_t gr_nan_convert(uint64_t bits, enum gr_format from, enum gr_format to);

#endif
