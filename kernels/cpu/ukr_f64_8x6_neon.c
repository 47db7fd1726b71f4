/* ukr_f64_8x6_neon.c: the 8 x 6 micro-kernel of AArch64 NEON. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <arm_neon.h>

typedef double T;
typedef float64x2_t V;
typedef int Tail;
enum { MR = 8, NR = 6, LANES = 2 };

static inline V zero(void)
{
    return vdupq_n_f64(0);
}

static inline V broadcast(T x)
{
    return vdupq_n_f64(x);
}

static inline V load(const T *p)
{
    return vld1q_f64(p);
}

static inline void store(T *p, V v)
{
    vst1q_f64(p, v);
}

static inline V mul(V x, V y)
{
    return vmulq_f64(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return vfmaq_f64(z, x, y);
}

static inline Tail tail_of(int n)
{
    return n;
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    T lanes[LANES];
    vst1q_f64(lanes, rest);
    for (int i = 0; i < t; i++)
        lanes[i] = p[i];
    return vld1q_f64(lanes);
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

static inline void store_tail(T *p, Tail t, V v)
{
    T lanes[LANES];
    vst1q_f64(lanes, v);
    for (int i = 0; i < t; i++)
        p[i] = lanes[i];
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    vst1q_f64(to, vpaddq_f64(a, b));
    vst1q_f64(to + 2, vpaddq_f64(c, d));
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f64_8x6_neon = {
    .name = "f64_8x6_neon",
    .type = "f64",
    .isa = "neon",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 64,
    .kc = 320,
    .nc = 2048,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_transposed = strided_transposed,
    .run_few_sums = few_sums,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .run_few_dots = few_dots,
};
