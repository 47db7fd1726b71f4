/* pack_short_avx512.c: packing short elements in vectors of 64 bytes. SPDX-License-Identifier: MIT
 */
#include "cpu/pack_short.h"

#include <immintrin.h>

typedef __m512i R;
#define INLINED static inline __attribute__((always_inline))

static inline __mmask64 mask_of(int64_t count)
{
    return count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

INLINED R load_run(const char *source, int64_t count, enum gr_short_form form)
{
    const __mmask64 real = mask_of(count);
    switch (form) {
    case GR_BYTES:
        return _mm512_maskz_loadu_epi8(real, source);
    case GR_BYTES_FLIP:
        return _mm512_xor_si512(_mm512_maskz_loadu_epi8(real, source),
                                _mm512_maskz_set1_epi8(real, (char)0x80));
    case GR_SIGNED_TO_16:
        return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8((__mmask32)real, source));
    case GR_UNSIGNED_TO_16:
        return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8((__mmask32)real, source));
    default:
        return _mm512_maskz_loadu_epi16((__mmask32)real, source);
    }
}

/* Transposes four rows of 16 bytes. Each row is loaded into one quarter of a vector. Then the four
 * 32-bit words of each group of four columns are brought together, and then the bytes of each
 * column. */
INLINED R unit_of_bytes(const char *source, int64_t stride, int64_t steps, __mmask16 real,
                        enum gr_short_form form)
{
    const __m512i columns = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const bool whole = steps == 4 && real == 0xffff;
    __m128i row[4];
    for (int s = 0; s < 4; s++)
        row[s] = whole ? _mm_loadu_si128((const __m128i *)(const void *)(source + s * stride))
                       : _mm_maskz_loadu_epi8(s < steps ? real : 0,
                                              s < steps ? source + s * stride : source);
    __m512i r = _mm512_castsi128_si512(row[0]);
    r = _mm512_inserti32x4(r, row[1], 1);
    r = _mm512_inserti32x4(r, row[2], 2);
    r = _mm512_inserti32x4(r, row[3], 3);
    r = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(columns, r), bytes);
    if (form == GR_BYTES_FLIP)
        r = _mm512_xor_si512(r,
                             _mm512_maskz_set1_epi32(real, (int)(0x80808080u >> (4 - steps) * 8)));
    return r;
}

/* Loads one step of 16 lanes into the lower halves of 16 units; the upper halves are 0. */
INLINED R half_units(const char *source, __mmask16 real, enum gr_short_form form)
{
    if (form == GR_HALVES)
        return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(real, source));
    const __m128i bytes = _mm_maskz_loadu_epi8(real, source);
    if (form == GR_UNSIGNED_TO_16)
        return _mm512_cvtepu8_epi32(bytes);
    return _mm512_and_si512(_mm512_cvtepi8_epi32(bytes), _mm512_set1_epi32(0xffff));
}

INLINED R load_unit(const char *source, int64_t stride, int64_t steps, int64_t lanes,
                    enum gr_short_form form)
{
    const __mmask16 real = (__mmask16)mask_of(lanes);
    if (steps == 0)
        return _mm512_setzero_si512();
    if (gr_short_to(form) == 1)
        return unit_of_bytes(source, stride, steps, real, form);
    const R r = half_units(source, real, form);
    if (steps == 1)
        return r;
    const R upper = half_units(source + stride * gr_short_from(form), real, form);
    return _mm512_or_si512(r, _mm512_slli_epi32(upper, 16));
}

/* Transposes pairs of rows, then groups of four, then pairs of 16-byte parts, then groups of four
 * parts. */
INLINED void transpose(R r[16])
{
    R t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int h = 0; h < 2; h++) {
            r[i + 2 * h] = _mm512_unpacklo_epi64(t[i + h], t[i + 2 + h]);
            r[i + 2 * h + 1] = _mm512_unpackhi_epi64(t[i + h], t[i + 2 + h]);
        }
    for (int i = 0; i < 4; i++) {
        const R a = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        const R b = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        const R c = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        const R d = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
        t[i] = _mm512_shuffle_i32x4(a, c, 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
        t[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
        t[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
    for (int i = 0; i < 16; i++)
        r[i] = t[i];
}

INLINED void store_units(char *p, R r, int64_t count)
{
    if (count == 16)
        _mm512_storeu_si512(p, r);
    else
        _mm512_mask_storeu_epi32(p, (__mmask16)mask_of(count), r);
}

/* vpsadbw adds unsigned bytes. Signed bytes are made unsigned by adding 128 to each, which is
 * subtracted from the sum at the end. */
static inline uint32_t sum_row(const char *row, int64_t bytes, bool is_signed)
{
    const char move = (char)(is_signed ? 0x80 : 0);
    R sums = _mm512_setzero_si512();
    for (int64_t i = 0; i < bytes; i += 64) {
        const __mmask64 real = mask_of(bytes - i);
        const R moved = _mm512_xor_si512(_mm512_maskz_loadu_epi8(real, row + i),
                                         _mm512_maskz_set1_epi8(real, move));
        sums = _mm512_add_epi64(sums, _mm512_sad_epu8(moved, _mm512_setzero_si512()));
    }
    return (uint32_t)_mm512_reduce_add_epi64(sums) - (is_signed ? 128 * (uint32_t)bytes : 0);
}

#define PACK_SHORT_OPERATIONS
#include "cpu/pack_short_loops.h"

const struct gr_short_packing gr_short_packing_avx512 = {rows, units, sum_rows};
