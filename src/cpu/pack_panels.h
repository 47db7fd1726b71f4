/* pack_panels.h: the loops of packing, for one type and one width of vectors.
 * SPDX-License-Identifier: MIT
 *
 * A file includes this header for each type, and defines before:
 *
 *     T                the element
 *     NAME(function)   the name of a function for that type
 *     PACK             the name under which pack.h declares the result
 *     TRANSPOSE, SIDE  a function that transposes squares of SIDE x SIDE in registers
 *     PACK_NARROWER    if there is one, a function that is used instead for panels whose width SIDE
 *                      does not divide, for fewer lanes than SIDE, and for contiguous lanes
 *     TRANSPOSE_SIX    if there is one, a function that transposes one cache line of steps of six
 *                      lanes into a panel of six, whose width squares do not divide
 *
 * It also defines, for all types, PACK_WIDTHS(X): X(bytes) for each width of its micro-panels for
 * which there shall be code with constants.
 *
 * There are two cases. Contiguous lanes are copied step by step. Lanes that are not contiguous are
 * transposed in squares, since reading single elements from many rows would be limited by the
 * number of loads. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef CPU_PACK_PANELS_H
#define CPU_PACK_PANELS_H
/* The hardware's prefetchers cannot follow many rows that are pages apart. Therefore a copy
 * prefetches the rows some steps ahead. A transpose prefetches TRANSPOSE_AHEAD bytes ahead along
 * its rows, into L2 rather than L1, where lines whose addresses differ by a power of two would
 * evict one another before they are used. */
enum { PACK_AHEAD = 8, PACK_LINE = 64, TRANSPOSE_AHEAD = 512, PACK_STRIP = 8 };
#define PACK_INLINE static inline __attribute__((always_inline))
#endif

#if defined(PACK)
/* `bytes` is a constant wherever this is inlined, so that the copy is a few moves. Some steps of
 * all panels are copied before the next steps, so that a cache line that belongs to two panels is
 * still in L1. */
PACK_INLINE void NAME(copy_whole)(T *panels, const T *source, int64_t count, int64_t depth,
                                  size_t bytes, int64_t step_stride)
{
    const int64_t width = (int64_t)(bytes / sizeof(T)), strip = count > 1 ? PACK_STRIP : depth;
    for (int64_t first = 0; first < depth; first += strip) {
        const int64_t end = first + strip < depth ? first + strip : depth;
        for (int64_t panel = 0; panel < count; panel++) {
            T *to = panels + panel * depth * width;
            const T *from = source + panel * width + first * step_stride;
            for (int64_t p = first; p < end; p++, from += step_stride) {
                for (size_t at = 0; at < bytes; at += PACK_LINE)
                    __builtin_prefetch((const char *)(from + PACK_AHEAD * step_stride) + at);
                memcpy((char *)to + (size_t)p * bytes, from, bytes);
            }
        }
    }
}

/* Copies whole panels if their width is one of the known ones; otherwise returns false. */
static bool NAME(copy_known)(T *panels, const T *source, int64_t count, int64_t depth,
                             int64_t width, int64_t step_stride)
{
#define COPY_KNOWN(bytes)                                                                          \
    case bytes:                                                                                    \
        NAME(copy_whole)(panels, source, count, depth, bytes, step_stride);                        \
        return true;
    switch (width * (int64_t)sizeof(T)) {
        PACK_WIDTHS(COPY_KNOWN)
    }
#undef COPY_KNOWN
    return false;
}

static void NAME(copy_panel)(T *panel, const T *source, int64_t lanes, int64_t depth, int64_t width,
                             int64_t step_stride)
{
    for (int64_t p = 0; p < depth; p++, panel += width, source += step_stride) {
        for (int64_t i = 0; i < lanes; i += PACK_LINE / (int64_t)sizeof(T))
            __builtin_prefetch(source + PACK_AHEAD * step_stride + i);
        for (int64_t i = 0; i < lanes; i++)
            panel[i] = source[i];
    }
}

static void NAME(repeat_last)(T *panel, int64_t lanes, int64_t depth, int64_t width)
{
    typedef T several __attribute__((vector_size(SIDE * sizeof(T)), aligned(sizeof(T)), may_alias));
    for (int64_t p = 0; lanes < width && p < depth; p++, panel += width) {
        const T last = panel[lanes - 1];
        int64_t i = lanes;
        for (; i + SIDE <= width; i += SIDE)
            *(several *)(void *)(panel + i) = last - (several){0};
        for (; i < width; i++)
            panel[i] = last;
    }
}

/* Transposes steps p..end-1 of one lane, which the squares do not cover. */
PACK_INLINE void NAME(transpose_lane)(T *lane, const T *source, int64_t p, int64_t end,
                                      int64_t width)
{
    for (; p < end; p++)
        lane[p * width] = source[p];
}

/* Transposes one cache line of steps of lanes i..i+SIDE-1. */
PACK_INLINE void NAME(transpose_squares)(T *panel, const T *source, const T *next, int64_t i,
                                         int64_t width, int64_t lane_stride)
{
    for (int64_t r = i; r < i + SIDE; r++)
        __builtin_prefetch(next + r * lane_stride, 0, 2);
    for (int p = 0; p < PACK_LINE / (int)sizeof(T); p += SIDE)
        TRANSPOSE(panel + p * width + i, width, source + i * lane_stride + p, lane_stride);
}

/* Transposes one cache line of steps of all lanes before the next line, since lines whose addresses
 * differ by a power of two would otherwise evict one another from L1. If the last lanes are half a
 * square or more, they are transposed together with some of the lanes before, which are then
 * written twice. */
PACK_INLINE void NAME(transpose_line)(T *panel, const T *source, const T *next, int64_t lanes,
                                      int64_t width, int64_t lane_stride)
{
#if defined(TRANSPOSE_SIX)
    if (lanes == 6 && width == 6) {
        for (int64_t i = 0; i < 6; i++)
            __builtin_prefetch(next + i * lane_stride, 0, 2);
        TRANSPOSE_SIX(panel, source, lane_stride);
        return;
    }
#endif
    const int64_t whole = lanes / SIDE * SIDE, left = lanes - whole;
    for (int64_t i = 0; i < whole; i += SIDE)
        NAME(transpose_squares)(panel, source, next, i, width, lane_stride);
    if (whole > 0 && left >= SIDE / 2) {
        NAME(transpose_squares)(panel, source, next, lanes - SIDE, width, lane_stride);
        return;
    }
    for (int64_t i = whole; i < lanes; i++) {
        __builtin_prefetch(next + i * lane_stride, 0, 2);
        NAME(transpose_lane)(panel + i, source + i * lane_stride, 0, PACK_LINE / sizeof(T), width);
    }
}

PACK_INLINE void NAME(transpose_panel)(T *panel, const T *source, int64_t lanes, int64_t depth,
                                       int64_t width, int64_t lane_stride)
{
    const int64_t line = PACK_LINE / sizeof(T), whole = depth - depth % line;
    for (int64_t p = 0; p < whole; p += line) {
        const int64_t ahead = p + TRANSPOSE_AHEAD / (int64_t)sizeof(T);
        const T *next =
            ahead < depth ? source + ahead : source + width * lane_stride + (ahead - depth);
        NAME(transpose_line)(panel + p * width, source + p, next, lanes, width, lane_stride);
    }
    if (whole > 0 && depth - whole >= line / 4) { /* some of the steps before are written again */
        const int64_t p = depth - line;
        NAME(transpose_line)(panel + p * width, source + p, source + p, lanes, width, lane_stride);
        return;
    }
    for (int64_t i = 0; i < lanes; i++)
        NAME(transpose_lane)(panel + i, source + i * lane_stride, whole, depth, width);
}

/* Has special cases with constants for the widths of AVX-512's micro-panels, and for the rows of
 * AVX2's. */
static void NAME(transpose_known)(T *panel, const T *source, int64_t lanes, int64_t depth,
                                  int64_t width, int64_t lane_stride)
{
    if (lanes == 9 && width == 9)
        NAME(transpose_panel)(panel, source, 9, depth, 9, lane_stride);
#if defined(TRANSPOSE_SIX)
    else if (lanes == 6 && width == 6)
        NAME(transpose_panel)(panel, source, 6, depth, 6, lane_stride);
#endif
    else if (lanes == width && width * sizeof(T) == 192)
        NAME(transpose_panel)(panel, source, 192 / sizeof(T), depth, 192 / sizeof(T), lane_stride);
    else
        NAME(transpose_panel)(panel, source, lanes, depth, width, lane_stride);
}

void PACK(T *panels, const T *source, int64_t lanes, int64_t depth, int64_t width,
          int64_t lane_stride, int64_t step_stride)
{
    const int64_t count = lanes / width;
    int64_t first = 0;
#if defined(PACK_NARROWER)
    if (lane_stride == 1 || width % SIDE != 0) {
        PACK_NARROWER(panels, source, lanes, depth, width, lane_stride, step_stride);
        return;
    }
#endif
    if (lane_stride == 1 && count &&
        NAME(copy_known)(panels, source, count, depth, width, step_stride)) {
        first = count * width;
        panels += depth * first;
    }
    for (; first < lanes; first += width, panels += depth * width) {
        const int64_t here = lanes - first < width ? lanes - first : width;
        const T *from = source + first * lane_stride;
#if defined(PACK_NARROWER)
        if (here < SIDE) {
            PACK_NARROWER(panels, from, here, depth, width, lane_stride, step_stride);
            return;
        }
#endif
        if (lane_stride == 1)
            NAME(copy_panel)(panels, from, here, depth, width, step_stride);
        else
            NAME(transpose_known)(panels, from, here, depth, width, lane_stride);
        NAME(repeat_last)(panels, here, depth, width);
    }
}

#undef T
#undef NAME
#undef PACK
#undef SIDE
#undef TRANSPOSE
#undef TRANSPOSE_SIX
#undef PACK_NARROWER
#endif
