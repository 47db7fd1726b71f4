/* transpose_lanes.h: transposing a small operand, for one width of vectors.
 * SPDX-License-Identifier: MIT
 *
 * A file defines the following before it includes this header:
 *
 *     PARTS           the number of 16-byte parts of a vector
 *     Vf, Vd          vectors of float and of double
 *     OP(name)        the intrinsic of that name for such vectors
 *     joined_f32(x), joined_f64(x)   a vector of PARTS parts
 *     TRANSPOSE_NAME(type)           the name under which transpose.h declares the result
 *     TRANSPOSE_DENSE(type)          if there is one, a function for two to four steps of rows that
 *                                    are adjacent in memory
 *     TRANSPOSE_DENSE_WHOLE(type)    if there is one, the same for two and three steps, and lanes
 *                                    that are whole vectors
 *
 * For each part, four rows by four steps of floats (two by two of doubles) are transposed at a
 * time. Loads put the parts into their places, which takes no shuffle, and the remaining shuffles
 * stay within parts. If fewer than four steps are left, they are transposed together with some of
 * the steps before, which are then written twice; three steps are transposed as two times two.
 * Element by element, these steps would take longer than the rest of a small product. */
#include "cpu/transpose.h"

#if defined(TRANSPOSE_NAME)
#include <immintrin.h>
#include <stdbool.h>

#define INLINED static inline __attribute__((always_inline))

/* A part has as many elements as steps are transposed at a time. */
enum { STEPS_F32 = 4, LANES_F32 = STEPS_F32 * PARTS, STEPS_F64 = 2, LANES_F64 = STEPS_F64 * PARTS };

/* The rows of a vector's lanes. Rows that are equally far apart are addressed relative to one row
 * for each part, since sixteen pointers would not fit into registers. `apart` is a constant
 * wherever this is inlined. */
#define DEFINE_ROWS(T, name, LANES, STEPS)                                                         \
    struct rows_##name {                                                                           \
        const T *row[LANES];                                                                       \
        int64_t stride;                                                                            \
        bool apart;                                                                                \
    };                                                                                             \
                                                                                                   \
    INLINED const T *row_##name(const struct rows_##name *rows, int i)                             \
    {                                                                                              \
        return rows->apart ? rows->row[i] : rows->row[i / STEPS] + i % STEPS * rows->stride;       \
    }
DEFINE_ROWS(float, f32, LANES_F32, STEPS_F32)
DEFINE_ROWS(double, f64, LANES_F64, STEPS_F64)

/* Runs its body for each part of a vector, which has rows of its own. */
#define EACH_PART(part) _Pragma("GCC unroll 4") for (int part = 0; part < PARTS; part++)

/* Pairs are transposed, then groups of four. */
INLINED void most_steps_f32(float *panel, int64_t width, const struct rows_f32 *rows, int64_t p)
{
    Vf r[4];
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        __m128 x[PARTS];
        EACH_PART(part) x[part] = _mm_loadu_ps(row_f32(rows, i + 4 * part) + p);
        r[i] = joined_f32(x);
    }
    const Vf a = OP(unpacklo_ps)(r[0], r[1]), b = OP(unpackhi_ps)(r[0], r[1]);
    const Vf c = OP(unpacklo_ps)(r[2], r[3]), d = OP(unpackhi_ps)(r[2], r[3]);
    panel += p * width;
    OP(storeu_ps)(panel, OP(shuffle_ps)(a, c, 0x44));
    OP(storeu_ps)(panel + width, OP(shuffle_ps)(a, c, 0xee));
    OP(storeu_ps)(panel + 2 * width, OP(shuffle_ps)(b, d, 0x44));
    OP(storeu_ps)(panel + 3 * width, OP(shuffle_ps)(b, d, 0xee));
}

INLINED void most_steps_f64(double *panel, int64_t width, const struct rows_f64 *rows, int64_t p)
{
    Vd r[2];
    _Pragma("GCC unroll 2") for (int i = 0; i < 2; i++)
    {
        __m128d x[PARTS];
        EACH_PART(part) x[part] = _mm_loadu_pd(row_f64(rows, i + 2 * part) + p);
        r[i] = joined_f64(x);
    }
    panel += p * width;
    OP(storeu_pd)(panel, OP(unpacklo_pd)(r[0], r[1]));
    OP(storeu_pd)(panel + width, OP(unpackhi_pd)(r[0], r[1]));
}

/* Loads two steps of rows i and i+1 of each part. */
INLINED Vf pairs_f32(const struct rows_f32 *rows, int i, int64_t p)
{
    __m128 x[PARTS];
    EACH_PART(part)
    {
        const float *first = row_f32(rows, i + 4 * part), *second = row_f32(rows, i + 4 * part + 1);
        const __m128d low = _mm_load_sd((const double *)(const void *)(first + p));
        x[part] = _mm_castpd_ps(_mm_loadh_pd(low, (const double *)(const void *)(second + p)));
    }
    return joined_f32(x);
}

INLINED void two_steps(float *panel, int64_t width, const struct rows_f32 *rows, int64_t p)
{
    const Vf a = pairs_f32(rows, 0, p), b = pairs_f32(rows, 2, p);
    OP(storeu_ps)(panel + p * width, OP(shuffle_ps)(a, b, 0x88));
    OP(storeu_ps)(panel + (p + 1) * width, OP(shuffle_ps)(a, b, 0xdd));
}

/* Transposes one step. It is gathered in registers, since a vector that was stored element by
 * element could be loaded only after the last element has reached the cache. */
INLINED void one_step_f32(float *panel, const struct rows_f32 *rows)
{
    __m128 x[PARTS];
    EACH_PART(part)
    {
        const int i = 4 * part;
        const __m128 low =
            _mm_unpacklo_ps(_mm_load_ss(row_f32(rows, i)), _mm_load_ss(row_f32(rows, i + 1)));
        const __m128 high =
            _mm_unpacklo_ps(_mm_load_ss(row_f32(rows, i + 2)), _mm_load_ss(row_f32(rows, i + 3)));
        x[part] = _mm_movelh_ps(low, high);
    }
    OP(storeu_ps)(panel, joined_f32(x));
}

INLINED void few_steps_f32(float *panel, int64_t width, const struct rows_f32 *rows, int64_t depth)
{
    if (depth == 1) {
        one_step_f32(panel, rows);
        return;
    }
    two_steps(panel, width, rows, 0);
    if (depth == 3)
        two_steps(panel, width, rows, 1);
}

/* Transposes one step. */
INLINED void few_steps_f64(double *panel, int64_t width, const struct rows_f64 *rows, int64_t depth)
{
    (void)width, (void)depth;
    __m128d x[PARTS];
    EACH_PART(part)
    {
        x[part] = _mm_loadh_pd(_mm_load_sd(row_f64(rows, 2 * part)), row_f64(rows, 2 * part + 1));
    }
    OP(storeu_pd)(panel, joined_f64(x));
}

/* One to three steps of so many rows, which are whole parts: each part is stored by itself. To join
 * the parts to vectors takes up to twice as long. */
enum { MOST_IN_PARTS = 3 };

INLINED __m128 pair_f32(const float *first, const float *second)
{
    const __m128d low = _mm_load_sd((const double *)(const void *)first);
    return _mm_castpd_ps(_mm_loadh_pd(low, (const double *)(const void *)second));
}

INLINED void in_parts_f32(float *panel, const float *source, int64_t lanes, int depth,
                          int64_t width, int64_t stride)
{
    for (int64_t i = 0; i < lanes; i += STEPS_F32, source += STEPS_F32 * stride) {
        const float *r0 = source, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
        float *to = panel + i;
        if (depth >= 2) {
            const __m128 a = pair_f32(r0, r1), b = pair_f32(r2, r3);
            _mm_storeu_ps(to, _mm_shuffle_ps(a, b, 0x88));
            _mm_storeu_ps(to + width, _mm_shuffle_ps(a, b, 0xdd));
        }
        if (depth % 2 == 1) {
            const int p = depth - 1;
            const __m128 a = _mm_unpacklo_ps(_mm_load_ss(r0 + p), _mm_load_ss(r1 + p));
            const __m128 b = _mm_unpacklo_ps(_mm_load_ss(r2 + p), _mm_load_ss(r3 + p));
            _mm_storeu_ps(to + p * width, _mm_movelh_ps(a, b));
        }
    }
}

INLINED void in_parts_f64(double *panel, const double *source, int64_t lanes, int depth,
                          int64_t width, int64_t stride)
{
    for (int64_t i = 0; i < lanes; i += STEPS_F64, source += STEPS_F64 * stride) {
        const double *r0 = source, *r1 = source + stride;
        double *to = panel + i;
        if (depth >= 2) {
            const __m128d a = _mm_loadu_pd(r0), b = _mm_loadu_pd(r1);
            _mm_storeu_pd(to, _mm_unpacklo_pd(a, b));
            _mm_storeu_pd(to + width, _mm_unpackhi_pd(a, b));
        }
        if (depth % 2 == 1) {
            const int p = depth - 1;
            _mm_storeu_pd(to + p * width, _mm_loadh_pd(_mm_load_sd(r0 + p), r1 + p));
        }
    }
}

#if defined(TRANSPOSE_DENSE)
#define IS_DENSE(depth, stride) ((depth) == (stride) && (depth) >= 2 && (depth) <= 4)
#else
#define IS_DENSE(depth, stride) false
#define TRANSPOSE_DENSE(type) transpose_whole_of_##type
#define transpose_whole_of_f32(panel, source, lanes, depth, width) (void)0
#define transpose_whole_of_f64(panel, source, lanes, depth, width) (void)0
#endif

#if defined(TRANSPOSE_DENSE_WHOLE)
#define IS_DENSE_WHOLE(depth, stride) ((depth) == (stride) && ((depth) == 2 || (depth) == 3))
#else
#define IS_DENSE_WHOLE(depth, stride) false
#define TRANSPOSE_DENSE_WHOLE(type) transpose_whole_of_##type
#if defined(TRANSPOSE_DENSE)
#define transpose_whole_of_f32(panel, source, lanes, depth, width) (void)0
#define transpose_whole_of_f64(panel, source, lanes, depth, width) (void)0
#endif
#endif

/* The first function transposes `depth` steps of one vector, the second those of `lanes` lanes,
 * which are whole vectors. */
#define DEFINE_TRANSPOSE(T, name, LANES, STEPS)                                                    \
    INLINED void transpose_vector_##name(T *panel, const struct rows_##name *rows, int64_t depth,  \
                                         int64_t width)                                            \
    {                                                                                              \
        if (depth < STEPS) {                                                                       \
            few_steps_##name(panel, width, rows, depth);                                           \
            return;                                                                                \
        }                                                                                          \
        int64_t p = 0;                                                                             \
        for (; p + STEPS <= depth; p += STEPS)                                                     \
            most_steps_##name(panel, width, rows, p);                                              \
        if (p < depth)                                                                             \
            most_steps_##name(panel, width, rows, depth - STEPS);                                  \
    }                                                                                              \
                                                                                                   \
    static void transpose_whole_##name(T *panel, const T *source, int64_t lanes, int64_t depth,    \
                                       int64_t width, int64_t stride)                              \
    {                                                                                              \
        for (int64_t first = 0; first < lanes; first += LANES, source += LANES * stride) {         \
            struct rows_##name rows = {.stride = stride, .apart = false};                          \
            for (int64_t i = 0; i < LANES / STEPS; i++)                                            \
                rows.row[i] = source + i * STEPS * stride;                                         \
            transpose_vector_##name(panel + first, &rows, depth, width);                           \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void transpose_in_parts_##name(T *panel, const T *source, int64_t lanes, int depth,     \
                                          int64_t width, int64_t stride)                           \
    {                                                                                              \
        if (depth == 1)                                                                            \
            in_parts_##name(panel, source, lanes, 1, width, stride);                               \
        else if (depth == 2)                                                                       \
            in_parts_##name(panel, source, lanes, 2, width, stride);                               \
        else                                                                                       \
            in_parts_##name(panel, source, lanes, MOST_IN_PARTS, width, stride);                   \
    }                                                                                              \
                                                                                                   \
    static void transpose_ragged_##name(T *panel, const T *source, int64_t lanes, int64_t depth,   \
                                        int64_t width, int64_t stride)                             \
    {                                                                                              \
        struct rows_##name rows = {.apart = true};                                                 \
        for (int64_t i = 0; i < LANES; i++)                                                        \
            rows.row[i] = source + (i < lanes ? i : lanes - 1) * stride;                           \
        transpose_vector_##name(panel, &rows, depth, width);                                       \
    }                                                                                              \
                                                                                                   \
    void TRANSPOSE_NAME(name)(T * panel, const T *source, int64_t lanes, int64_t depth,            \
                              int64_t stride)                                                      \
    {                                                                                              \
        const int64_t whole = lanes / LANES * LANES, width = (lanes + LANES - 1) / LANES * LANES;  \
        if (IS_DENSE(depth, stride)) {                                                             \
            TRANSPOSE_DENSE(name)(panel, source, lanes, depth, width);                             \
            return;                                                                                \
        }                                                                                          \
        if (IS_DENSE_WHOLE(depth, stride))                                                         \
            TRANSPOSE_DENSE_WHOLE(name)(panel, source, whole, depth, width);                       \
        else if (depth <= MOST_IN_PARTS)                                                           \
            transpose_in_parts_##name(panel, source, whole, (int)depth, width, stride);            \
        else                                                                                       \
            transpose_whole_##name(panel, source, whole, depth, width, stride);                    \
        if (whole < lanes)                                                                         \
            transpose_ragged_##name(panel + whole, source + whole * stride, lanes - whole, depth,  \
                                    width, stride);                                                \
    }

DEFINE_TRANSPOSE(float, f32, LANES_F32, STEPS_F32)
DEFINE_TRANSPOSE(double, f64, LANES_F64, STEPS_F64)

#endif
