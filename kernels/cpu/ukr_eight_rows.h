/* ukr_eight_rows.h: writes the transpose of eight vectors, in the registers of AVX-512. Included by
 * ukr_direct_columns.h. SPDX-License-Identifier: MIT
 *
 *     rows 0, 1 | 2, 3 | 4, 5 | 6, 7     pairs of rows: the same lane of both is adjacent
 *     rows 0 to 3 | 4 to 7               groups of four rows
 *     rows 0 to 7                        one column of C, in one or two stores
 *
 * Most instructions take lanes from two vectors within parts of 16 bytes. So each part first has
 * columns that are one part apart, and the last step combines the parts. */

/* Transposes four rows of floats: columns[x] has columns x, x+4, … of them. */
INLINE void four_rows_f32_512(const __m512 row[4], __m512d columns[4])
{
    const __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(row[0], row[1]));
    const __m512d high01 = _mm512_castps_pd(_mm512_unpackhi_ps(row[0], row[1]));
    const __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(row[2], row[3]));
    const __m512d high23 = _mm512_castps_pd(_mm512_unpackhi_ps(row[2], row[3]));
    columns[0] = _mm512_unpacklo_pd(low01, low23);
    columns[1] = _mm512_unpackhi_pd(low01, low23);
    columns[2] = _mm512_unpacklo_pd(high01, high23);
    columns[3] = _mm512_unpackhi_pd(high01, high23);
}

INLINE void write_eight_f32_512(const __m512 row[8], int64_t count, float *c, int64_t ldc)
{
    __m512d first[4], last[4];
    four_rows_f32_512(row, first);
    four_rows_f32_512(row + 4, last);
    const __m512i lower = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i upper = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    UNROLLED(half, 2)
    {
        __m512d whole[4];
        UNROLLED(x, 4)
        whole[x] = _mm512_permutex2var_pd(first[x], half == 0 ? lower : upper, last[x]);
        UNROLLED(x, 8)
        {
            if (8 * half + x >= count)
                return;
            const __m256d column =
                x < 4 ? _mm512_castpd512_pd256(whole[x]) : _mm512_extractf64x4_pd(whole[x - 4], 1);
            _mm256_storeu_ps(c + (8 * half + x) * ldc, _mm256_castpd_ps(column));
        }
    }
}

INLINE void four_rows_f32_256(const __m256 row[4], __m256d columns[4])
{
    const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(row[0], row[1]));
    const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(row[0], row[1]));
    const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(row[2], row[3]));
    const __m256d high23 = _mm256_castps_pd(_mm256_unpackhi_ps(row[2], row[3]));
    columns[0] = _mm256_unpacklo_pd(low01, low23);
    columns[1] = _mm256_unpackhi_pd(low01, low23);
    columns[2] = _mm256_unpacklo_pd(high01, high23);
    columns[3] = _mm256_unpackhi_pd(high01, high23);
}

INLINE void write_eight_f32_256(const __m256 row[8], int64_t count, float *c, int64_t ldc)
{
    __m256d first[4], last[4];
    four_rows_f32_256(row, first);
    four_rows_f32_256(row + 4, last);
    UNROLLED(x, 8)
    {
        if (x >= count)
            return;
        const __m256d column = x < 4 ? _mm256_permute2f128_pd(first[x], last[x], 0x20)
                                     : _mm256_permute2f128_pd(first[x - 4], last[x - 4], 0x31);
        _mm256_storeu_ps(c + x * ldc, _mm256_castpd_ps(column));
    }
}

/* Doubles are written in two halves: nearly every store of 64 bytes would cross two cache lines. */
INLINE void write_eight_f64_512(const __m512d row[8], int64_t count, double *c, int64_t ldc)
{
    const __m512i lower = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i upper = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512d low[4], high[4]; /* even and odd columns of two rows */
    UNROLLED(pair, 4)
    {
        low[pair] = _mm512_unpacklo_pd(row[2 * pair], row[2 * pair + 1]);
        high[pair] = _mm512_unpackhi_pd(row[2 * pair], row[2 * pair + 1]);
    }
    UNROLLED(half, 2)
    {
        __m512d whole[2][2]; /* four rows of two even and two odd columns */
        UNROLLED(four, 2)
        {
            const __m512i parts = half == 0 ? lower : upper;
            whole[four][0] = _mm512_permutex2var_pd(low[2 * four], parts, low[2 * four + 1]);
            whole[four][1] = _mm512_permutex2var_pd(high[2 * four], parts, high[2 * four + 1]);
        }
        UNROLLED(x, 4)
        {
            if (4 * half + x >= count)
                return;
            UNROLLED(four, 2)
            {
                const __m512d columns = whole[four][x % 2];
                _mm256_storeu_pd(c + (4 * half + x) * ldc + 4 * four,
                                 x < 2 ? _mm512_castpd512_pd256(columns)
                                       : _mm512_extractf64x4_pd(columns, 1));
            }
        }
    }
}

INLINE void write_eight_f64_256(const __m256d row[8], int64_t count, double *c, int64_t ldc)
{
    __m256d low[4], high[4]; /* of two rows each */
    UNROLLED(pair, 4)
    {
        low[pair] = _mm256_unpacklo_pd(row[2 * pair], row[2 * pair + 1]);
        high[pair] = _mm256_unpackhi_pd(row[2 * pair], row[2 * pair + 1]);
    }
    UNROLLED(x, 4)
    {
        if (x >= count)
            return;
        const __m256d *pairs = x % 2 ? high : low;
        UNROLLED(half, 2)
        {
            const __m256d a = pairs[2 * half], b = pairs[2 * half + 1];
            _mm256_storeu_pd(c + x * ldc + 4 * half, x < 2 ? _mm256_permute2f128_pd(a, b, 0x20)
                                                           : _mm256_permute2f128_pd(a, b, 0x31));
        }
    }
}

/* Writes lanes 0..count-1 of the rows as columns of C. */
#define write_eight(row, count, c, ldc)                                                            \
    _Generic((row)[0], __m512                                                                      \
             : write_eight_f32_512, __m256                                                         \
             : write_eight_f32_256, __m512d                                                        \
             : write_eight_f64_512, __m256d                                                        \
             : write_eight_f64_256)(row, count, c, ldc)
