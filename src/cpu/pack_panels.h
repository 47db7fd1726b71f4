/* pack_panels.h: the loops of packing, once for both types and for each width of vectors.
 * SPDX-License-Identifier: MIT
 *
 * Two cases. Lanes that lie side by side are copied step by step. Lanes that lie apart are
 * transposed in squares of SIDE x SIDE that stay in registers (`transpose_<name>`, which the
 * including file defines): reading single elements from many rows would be as slow as the loads. */
#ifndef CPU_PACK_PANELS_H
#define CPU_PACK_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Rows that lie pages apart are more than the hardware's prefetchers follow: a copy asks for the
 * rows some steps on; a transpose for TURN_AHEAD bytes on along its rows, into L2: lines of rows that
 * lie a power of two apart would drive one another out of L1 before they are used. */
enum { PACK_AHEAD = 8, PACK_LINE = 64, TURN_AHEAD = 512 };

/* Defines `pack` for T, as pack.h declares it, in the file that includes this. */
#define DEFINE_PACK(T, name, pack, SIDE)                                                                   \
    /* `bytes` is a constant wherever this is inlined: the copy is then a few moves. */                    \
    static inline __attribute__((always_inline)) void copy_whole_##name(                                   \
        T *panel, const T *source, int64_t depth, size_t bytes, int64_t step_stride)                       \
    {                                                                                                      \
        for (int64_t p = 0; p < depth; p++, source += step_stride) {                                       \
            for (size_t at = 0; at < bytes; at += PACK_LINE)                                               \
                __builtin_prefetch((const char *)(source + PACK_AHEAD * step_stride) + at);                \
            memcpy((char *)panel + (size_t)p * bytes, source, bytes);                                      \
        }                                                                                                  \
    }                                                                                                      \
                                                                                                           \
    /* The widths of the micro-kernels' panels. */                                                         \
    static bool copy_known_##name(T *panel, const T *source, int64_t depth, int64_t width,                 \
                                  int64_t step_stride)                                                     \
    {                                                                                                      \
        switch (width * (int64_t)sizeof(T)) {                                                              \
        case 192:                                                                                          \
            copy_whole_##name(panel, source, depth, 192, step_stride);                                     \
            return true;                                                                                   \
        case 72:                                                                                           \
            copy_whole_##name(panel, source, depth, 72, step_stride);                                      \
            return true;                                                                                   \
        case 64:                                                                                           \
            copy_whole_##name(panel, source, depth, 64, step_stride);                                      \
            return true;                                                                                   \
        case 36:                                                                                           \
            copy_whole_##name(panel, source, depth, 36, step_stride);                                      \
            return true;                                                                                   \
        }                                                                                                  \
        return false;                                                                                      \
    }                                                                                                      \
                                                                                                           \
    static void copy_panel_##name(T *panel, const T *source, int64_t lanes, int64_t depth,                 \
                                  int64_t width, int64_t step_stride)                                      \
    {                                                                                                      \
        if (lanes == width && copy_known_##name(panel, source, depth, width, step_stride))                 \
            return;                                                                                        \
        for (int64_t p = 0; p < depth; p++, panel += width, source += step_stride) {                       \
            for (int64_t i = 0; i < lanes; i += PACK_LINE / (int64_t)sizeof(T))                            \
                __builtin_prefetch(source + PACK_AHEAD * step_stride + i);                                 \
            for (int64_t i = 0; i < lanes; i++)                                                            \
                panel[i] = source[i];                                                                      \
        }                                                                                                  \
    }                                                                                                      \
                                                                                                           \
    static void repeat_last_##name(T *panel, int64_t lanes, int64_t depth, int64_t width)                  \
    {                                                                                                      \
        for (int64_t p = 0; lanes < width && p < depth; p++, panel += width)                               \
            for (int64_t i = lanes; i < width; i++)                                                        \
                panel[i] = panel[lanes - 1];                                                               \
    }                                                                                                      \
                                                                                                           \
    /* One lane, steps p..end-1: what squares leave over. */                                               \
    static inline __attribute__((always_inline)) void turn_lane_##name(                                    \
        T *lane, const T *source, int64_t p, int64_t end, int64_t width)                                   \
    {                                                                                                      \
        for (; p < end; p++)                                                                               \
            lane[p * width] = source[p];                                                                   \
    }                                                                                                      \
                                                                                                           \
    /* All lanes of a cache line of steps before the next line: lines that lie a power of two apart would\
     * drive one another out of L1 meanwhile. */ \
    static inline __attribute__((always_inline)) void turn_line_##name(                                    \
        T *panel, const T *source, const T *next, int64_t lanes, int64_t width,                            \
        int64_t lane_stride)                                                                               \
    {                                                                                                      \
        enum { STEPS = PACK_LINE / sizeof(T) };                                                            \
        int64_t i = 0;                                                                                     \
        for (; i + SIDE <= lanes; i += SIDE) {                                                             \
            for (int64_t r = i; r < i + SIDE; r++)                                                         \
                __builtin_prefetch(next + r * lane_stride, 0, 2);                                          \
            for (int p = 0; p < STEPS; p += SIDE)                                                          \
                transpose_##name(panel + p * width + i, width, source + i * lane_stride + p,               \
                                 lane_stride);                                                             \
        }                                                                                                  \
        for (; i < lanes; i++) {                                                                           \
            __builtin_prefetch(next + i * lane_stride, 0, 2);                                              \
            turn_lane_##name(panel + i, source + i * lane_stride, 0, STEPS, width);                        \
        }                                                                                                  \
    }                                                                                                      \
                                                                                                           \
    static inline __attribute__((always_inline)) void turn_panel_##name(                                   \
        T *panel, const T *source, int64_t lanes, int64_t depth, int64_t width,                            \
        int64_t lane_stride)                                                                               \
    {                                                                                                      \
        const int64_t line = PACK_LINE / sizeof(T), whole = depth - depth % line;                          \
        for (int64_t p = 0; p < whole; p += line) {                                                        \
            const int64_t ahead = p + TURN_AHEAD / (int64_t)sizeof(T);                                     \
            const T *next =                                                                                \
                ahead < depth ? source + ahead : source + width * lane_stride + (ahead - depth);           \
            turn_line_##name(panel + p * width, source + p, next, lanes, width, lane_stride);              \
        }                                                                                                  \
        for (int64_t i = 0; i < lanes; i++)                                                                \
            turn_lane_##name(panel + i, source + i * lane_stride, whole, depth, width);                    \
    }                                                                                                      \
                                                                                                           \
    /* The tiles' widths as constants. */                                                                  \
    static void turn_known_##name(T *panel, const T *source, int64_t lanes, int64_t depth,                 \
                                  int64_t width, int64_t lane_stride)                                      \
    {                                                                                                      \
        if (lanes == 9 && width == 9)                                                                      \
            turn_panel_##name(panel, source, 9, depth, 9, lane_stride);                                    \
        else if (lanes == width && width * sizeof(T) == 192)                                               \
            turn_panel_##name(panel, source, 192 / sizeof(T), depth, 192 / sizeof(T),                      \
                              lane_stride);                                                                \
        else                                                                                               \
            turn_panel_##name(panel, source, lanes, depth, width, lane_stride);                            \
    }                                                                                                      \
                                                                                                           \
    void pack(T *panels, const T *source, int64_t lanes, int64_t depth, int64_t width,                     \
              int64_t lane_stride, int64_t step_stride)                                                    \
    {                                                                                                      \
        for (int64_t first = 0; first < lanes; first += width, panels += depth * width) {                  \
            const int64_t here = lanes - first < width ? lanes - first : width;                            \
            const T *from = source + first * lane_stride;                                                  \
            if (lane_stride == 1)                                                                          \
                copy_panel_##name(panels, from, here, depth, width, step_stride);                          \
            else                                                                                           \
                turn_known_##name(panels, from, here, depth, width, lane_stride);                          \
            repeat_last_##name(panels, here, depth, width);                                                \
        }                                                                                                  \
    }

#endif
