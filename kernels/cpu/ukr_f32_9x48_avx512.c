/* ukr_f32_9x48_avx512.c: the 9 x 48 micro-kernel of AVX-512. SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <immintrin.h>

typedef float T;
typedef __m512 V;
typedef __mmask16 Tail;
enum { MR = 9, NR = 48, LANES = 16 };

static inline V zero(void)
{
    return _mm512_setzero_ps();
}

static inline V broadcast(T x)
{
    return _mm512_set1_ps(x);
}

static inline V load(const T *p)
{
    return _mm512_loadu_ps(p);
}

static inline void store(T *p, V v)
{
    _mm512_storeu_ps(p, v);
}

static inline V mul(V x, V y)
{
    return _mm512_mul_ps(x, y);
}

static inline V fmadd(V x, V y, V z)
{
    return _mm512_fmadd_ps(x, y, z);
}

static inline Tail tail_of(int n)
{
    return (Tail)((1u << n) - 1);
}

/* The lanes of B that this leaves at zero reach no sum, because fmadd_tail ignores them. */
static inline V load_tail(const T *p, Tail t, V rest)
{
    (void)rest;
    return _mm512_maskz_loadu_ps(t, p);
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    return _mm512_mask3_fmadd_ps(x, y, z, t);
}

static inline void store_tail(T *p, Tail t, V v)
{
    _mm512_mask_storeu_ps(p, t, v);
}

static inline T sum_of(V v)
{
    return _mm512_reduce_add_ps(v);
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f32_9x48_avx512 = {
    .name = "f32_9x48_avx512",
    .type = "f32",
    .isa = "avx512",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 144,
    .kc = 512,
    .nc = 2016,
    .run = packed,
    .run_ahead = packed_ahead,
    .run_strided = strided,
    .run_thin = thin,
    .run_packing = packing,
    .run_dots = dots,
    .dots_rows = DOTS_ROWS,
    .dots_cols = DOTS_COLS,
};
