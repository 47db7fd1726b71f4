/* ukr_bytes_avx512.h: bytes in place, for the micro-kernels of 8-bit integers (ukr_dot_in_place.h).
 * SPDX-License-Identifier: MIT */

enum { ELEMENT = 1 };

/* Puts one row of B into each quarter of a vector. Then the four 32-bit words of each group of four
 * columns are brought together, and then the bytes of each column. */
static inline U gathered(const char *b, int64_t step, int64_t steps, Tail tail)
{
    const __m512i columns = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i r = _mm512_castsi128_si512(_mm_maskz_loadu_epi8(tail, b));
    r = _mm512_inserti32x4(r, _mm_maskz_loadu_epi8(steps > 1 ? tail : 0, b + step), 1);
    r = _mm512_inserti32x4(r, _mm_maskz_loadu_epi8(steps > 2 ? tail : 0, b + 2 * step), 2);
    r = _mm512_inserti32x4(r, _mm_maskz_loadu_epi8(steps > 3 ? tail : 0, b + 3 * step), 3);
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(columns, r), bytes);
}

static inline U run_of(const char *p, int64_t bytes)
{
    return _mm512_maskz_loadu_epi8(((__mmask64)1 << bytes) - 1, p);
}

static inline U flipped(U u, int32_t mask)
{
    return _mm512_xor_si512(u, _mm512_set1_epi32(mask));
}

static inline void scaled(S alpha, S x, S start, S beta, S *c)
{
    const uint32_t sum = (uint32_t)alpha * ((uint32_t)x + (uint32_t)start);
    *c = (S)(beta == 0 ? sum : sum + (uint32_t)beta * (uint32_t)*c);
}
