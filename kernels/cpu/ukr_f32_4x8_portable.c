/* ukr_f32_4x8_portable.c: the 4 x 8 micro-kernel for any machine, in GNU C vectors of 16 bytes.
 * SPDX-License-Identifier: MIT */
#include "ukr.h"

#include <string.h>

typedef float T;
typedef float V __attribute__((vector_size(16)));
typedef int Tail;
enum { MR = 4, NR = 8, LANES = 4 };

static inline V zero(void)
{
    return (V){0};
}

static inline V broadcast(T x)
{
    return x - (V){0};
}

static inline V load(const T *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(T *p, V v)
{
    memcpy(p, &v, sizeof v);
}

static inline V mul(V x, V y)
{
    return x * y;
}

static inline V fmadd(V x, V y, V z)
{
    return x * y + z;
}

static inline Tail tail_of(int n)
{
    return n;
}

static inline V load_tail(const T *p, Tail t, V rest)
{
    for (int i = 0; i < t; i++)
        rest[i] = p[i];
    return rest;
}

static inline V fmadd_tail(V x, V y, V z, Tail t)
{
    (void)t;
    return fmadd(x, y, z);
}

static inline void store_tail(T *p, Tail t, V v)
{
    for (int i = 0; i < t; i++)
        p[i] = v[i];
}

static inline T sum_of(V v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

static inline void sums_of_4(V a, V b, V c, V d, T *to)
{
    to[0] = sum_of(a);
    to[1] = sum_of(b);
    to[2] = sum_of(c);
    to[3] = sum_of(d);
}

#include "ukr_tile.h"

#include "ukr_dots.h"
#include "ukr_stream.h"

const struct ukr ukr_f32_4x8_portable = {
    .name = "f32_4x8_portable",
    .type = "f32",
    .isa = "portable",
    .mr = MR,
    .nr = NR,
    .lanes = LANES,
    .strided_cols = STRIDED_COLS,
    .strided_rows = STRIDED_ROWS,
    .mc = 128,
    .kc = 256,
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
