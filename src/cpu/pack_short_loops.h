/* pack_short_loops.h: the loops that pack short elements, compiled once for each kind of vectors.
 * SPDX-License-Identifier: MIT
 *
 * Everything is done in squares of 16 units x 16 lanes. Where the steps of a lane are contiguous,
 * 64 bytes of a lane are loaded at once. Where lanes are contiguous, the 4 (or 2) elements of a
 * unit are brought together for 16 lanes at once:
 *
 *     load_run:   lane 0  u0 u1 u2 ... u15        load_unit:   unit 0   lane0 lane1 ... lane15
 *                 lane 1  u0 u1 ...                            unit 1   lane0 lane1 ...
 *
 * Rows of A are runs, panels of B are units, and a transpose of the square turns one into the
 * other.
 *
 * The including file defines the following, and PACK_SHORT_OPERATIONS:
 *
 *     R                             64 bytes in registers
 *     load_run(source, count, form)
 *                                   `count` elements, converted; zeros beyond them
 *     load_unit(source, stride, steps, lanes, form)
 *                                   one unit of `lanes` lanes, of which `steps` steps are real (as
 *                                   many as a unit has, or fewer); `stride` in elements
 *     transpose(r)                  transposes R r[16]
 *     store_units(p, r, count)      stores the first `count` units of r
 *     sum_row(row, bytes, is_signed)
 *                                   the sum of so many bytes, modulo 2^32 */
#ifndef CPU_PACK_SHORT_LOOPS_H
#define CPU_PACK_SHORT_LOOPS_H

#include "cpu/pack_short.h"
#include "ukr.h"

#include <string.h>

#if defined(PACK_SHORT_OPERATIONS)
#define INLINE static inline __attribute__((always_inline))

enum { SIDE = 16, UNIT = 4, SQUARE_ROW = SIDE * UNIT };
/* The hardware's prefetchers cannot follow many rows that are pages apart. */
enum { UNITS_AHEAD = 16, LINE_BYTES = 64 };

static inline int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* Returns unit `u` of up to 16 contiguous lanes, with zeros beyond the depth and the lanes. */
INLINE R unit_of(const char *source, int64_t u, int64_t depth, int64_t lanes, int64_t step_stride,
                 enum gr_short_form form)
{
    const int64_t from = gr_short_from(form), steps = UNIT / gr_short_to(form), p = u * steps;
    const int64_t real = lanes <= 0 || p >= depth ? 0 : least(steps, depth - p);
    return load_unit(real ? source + p * step_stride * from : source, step_stride, real,
                     real ? least(lanes, SIDE) : 0, form);
}

/* Packs `count` units of a panel of B whose lanes are contiguous, complete and a multiple of 16,
 * which needs no masks. */
INLINE void copied_units(char *panel, const char *at, int64_t count, int64_t width,
                         int64_t step_stride, enum gr_short_form form)
{
    const int64_t from = gr_short_from(form), steps = UNIT / gr_short_to(form);
    for (int64_t u = 0; u < count; u++, panel += width * UNIT, at += steps * step_stride * from) {
        for (int64_t s = 0; s < steps; s++) {
            const char *later = at + (UNITS_AHEAD * steps + s) * step_stride * from;
            for (int64_t x = 0; x < width * from; x += LINE_BYTES)
                __builtin_prefetch(later + x);
        }
        for (int64_t i = 0; i < width; i += SIDE)
            store_units(panel + i * UNIT, load_unit(at + i * from, step_stride, steps, SIDE, form),
                        SIDE);
    }
}

/* Packs a panel of B whose lanes are contiguous. */
INLINE void copied_panel(char *panel, const char *source, int64_t lanes, int64_t depth,
                         int64_t width, int64_t step_stride, enum gr_short_form form, bool whole)
{
    const int64_t steps = UNIT / gr_short_to(form);
    const int64_t units = whole ? (ukr_row_bytes(depth, gr_short_to(form)) - UKR_HEAD) / UNIT
                                : (depth + steps - 1) / steps;
    const int64_t full = lanes == width && width % SIDE == 0 ? depth / steps : 0;
    copied_units(panel, source, full, width, step_stride, form);
    for (int64_t u = full; u < units; u++)
        for (int64_t i = 0; i < (whole ? width : lanes); i += SIDE)
            store_units(
                panel + (u * width + i) * UNIT,
                unit_of(source + i * gr_short_from(form), u, depth, lanes - i, step_stride, form),
                least(width, SIDE));
}

/* The same if the steps of each lane are contiguous. */
INLINE void transposed_panel(char *panel, const char *source, int64_t lanes, int64_t depth,
                             int64_t width, int64_t lane_stride, enum gr_short_form form,
                             bool whole)
{
    const int64_t from = gr_short_from(form), run = SQUARE_ROW / gr_short_to(form);
    for (int64_t p = 0; p < depth; p += run, panel += SIDE * width * UNIT)
        for (int64_t first = 0; first < (whole ? width : lanes); first += SIDE) {
            const int64_t here = lanes - first, steps = depth - p;
            const char *at = source + (first * lane_stride + p) * from;
            R r[SIDE];
            for (int64_t i = 0; i < SIDE; i++)
                r[i] = here >= SIDE && steps >= run
                           ? load_run(at + i * lane_stride * from, run, form)
                           : load_run(i < here ? at + i * lane_stride * from : source,
                                      i < here ? least(run, steps) : 0, form);
            transpose(r);
            for (int64_t u = 0; u < SIDE; u++)
                store_units(panel + (u * width + first) * UNIT, r[u], least(width, SIDE));
        }
}

INLINE void pack_units(char *panels, const char *source, int64_t lanes, int64_t depth,
                       int64_t width, int64_t lane_stride, int64_t step_stride,
                       enum gr_short_form form, bool whole)
{
    const int64_t from = gr_short_from(form), to = gr_short_to(form);
    const int64_t panel_bytes = (ukr_row_bytes(depth, to) - UKR_HEAD) * width;
    for (int64_t first = 0; first < lanes; first += width, panels += panel_bytes) {
        const int64_t here = least(width, lanes - first);
        const char *at = source + first * lane_stride * from;
        if (lane_stride == 1)
            copied_panel(panels, at, here, depth, width, step_stride, form, whole);
        else
            transposed_panel(panels, at, here, depth, width, lane_stride, form, whole);
    }
}

/* Packs up to 16 rows of A whose lanes are contiguous. */
INLINE void transposed_rows(char *rows, const char *source, int64_t lanes, int64_t depth,
                            int64_t step_stride, enum gr_short_form form)
{
    const int64_t from = gr_short_from(form), to = gr_short_to(form);
    const int64_t row_bytes = ukr_row_bytes(depth, to), run = SQUARE_ROW / to, steps = UNIT / to;
    for (int64_t p = 0; p < depth; p += run) {
        R r[SIDE];
        const char *at = source + p * step_stride * from;
        for (int64_t u = 0; u < SIDE; u++)
            r[u] = p + (u + 1) * steps <= depth
                       ? load_unit(at + u * steps * step_stride * from, step_stride, steps, lanes,
                                   form)
                       : unit_of(at, u, depth - p, lanes, step_stride, form);
        transpose(r);
        for (int64_t i = 0; i < lanes; i++)
            store_units(rows + i * row_bytes + UKR_HEAD + p * to, r[i], SIDE);
    }
}

INLINE void pack_rows(char *panels, const char *source, int64_t lanes, int64_t depth, int64_t width,
                      int64_t lane_stride, int64_t step_stride, enum gr_short_form form, bool whole)
{
    const int64_t from = gr_short_from(form), to = gr_short_to(form);
    const int64_t row_bytes = ukr_row_bytes(depth, to), run = SQUARE_ROW / to;
    for (int64_t i = 0; i < lanes; i++)
        memset(panels + i * row_bytes, 0, UKR_HEAD);
    if (whole)
        memset(panels + lanes * row_bytes, 0,
               (size_t)((lanes + width - 1) / width * width - lanes) * (size_t)row_bytes);
    if (lane_stride == 1 && step_stride != 1) {
        for (int64_t i = 0; i < lanes; i += SIDE)
            transposed_rows(panels + i * row_bytes, source + i * from, least(SIDE, lanes - i),
                            depth, step_stride, form);
        return;
    }
    for (int64_t i = 0; i < lanes; i++) {
        const char *at = source + i * lane_stride * from;
        char *row = panels + i * row_bytes + UKR_HEAD;
        int64_t p = 0;
        for (; p + run <= depth; p += run)
            store_units(row + p * to, load_run(at + p * from, run, form), SIDE);
        if (p < depth)
            store_units(row + p * to, load_run(at + p * from, depth - p, form), SIDE);
    }
}

/* The form is a constant in each copy of the loops. */
#define FOR_EACH_FORM(loops, whole)                                                                \
    switch (form) {                                                                                \
    case GR_BYTES:                                                                                 \
        loops(panels, source, lanes, depth, width, lane_stride, step_stride, GR_BYTES, whole);     \
        break;                                                                                     \
    case GR_BYTES_FLIP:                                                                            \
        loops(panels, source, lanes, depth, width, lane_stride, step_stride, GR_BYTES_FLIP,        \
              whole);                                                                              \
        break;                                                                                     \
    case GR_SIGNED_TO_16:                                                                          \
        loops(panels, source, lanes, depth, width, lane_stride, step_stride, GR_SIGNED_TO_16,      \
              whole);                                                                              \
        break;                                                                                     \
    case GR_UNSIGNED_TO_16:                                                                        \
        loops(panels, source, lanes, depth, width, lane_stride, step_stride, GR_UNSIGNED_TO_16,    \
              whole);                                                                              \
        break;                                                                                     \
    case GR_HALVES:                                                                                \
        loops(panels, source, lanes, depth, width, lane_stride, step_stride, GR_HALVES, whole);    \
        break;                                                                                     \
    }

static void rows(char *panels, const char *source, int64_t lanes, int64_t depth, int64_t width,
                 int64_t lane_stride, int64_t step_stride, enum gr_short_form form, bool whole)
{
    FOR_EACH_FORM(pack_rows, whole)
}

static void units(char *panels, const char *source, int64_t lanes, int64_t depth, int64_t width,
                  int64_t lane_stride, int64_t step_stride, enum gr_short_form form, bool whole)
{
    FOR_EACH_FORM(pack_units, whole)
}

static void sum_rows(int32_t *sums, const char *source, int64_t lanes, int64_t depth,
                     int64_t lane_stride, bool is_signed, int32_t factor)
{
    for (int64_t i = 0; i < lanes; i++)
        sums[i] = (int32_t)((uint32_t)factor * sum_row(source + i * lane_stride, depth, is_signed));
}
#endif

#endif
