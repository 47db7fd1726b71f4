/* ukr_f32_avx512.h: vectors of float sums in AVX-512, for the micro-kernels of bf16 (ukr_dot.h).
 * SPDX-License-Identifier: MIT */
#include <immintrin.h>
#include <string.h>

typedef float S;
typedef __m512 V;
typedef __mmask16 Tail;
enum { LANES = 16 };

static inline V broadcast(S x)
{
    return _mm512_set1_ps(x);
}

static inline V load(const S *p)
{
    return _mm512_loadu_ps(p);
}

static inline void store(S *p, V v)
{
    _mm512_storeu_ps(p, v);
}

static inline V mul(V x, V y)
{
    return _mm512_mul_ps(x, y);
}

static inline V madd(V x, V y, V z)
{
    return _mm512_fmadd_ps(x, y, z);
}

static inline Tail tail_of(int n)
{
    return (Tail)((1u << n) - 1);
}

static inline V load_tail(const S *p, Tail t)
{
    return _mm512_maskz_loadu_ps(t, p);
}

static inline void store_tail(S *p, Tail t, V v)
{
    _mm512_mask_storeu_ps(p, t, v);
}
