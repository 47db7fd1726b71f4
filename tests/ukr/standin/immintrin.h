/* immintrin.h: stands in for the compiler's header of that name, so that micro-kernels for
 * instructions that a machine lacks run on it. Plain C, after the Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 2: VPDPBUSD, VPMADDWD, VDPBF16PS, VPERMD, VPSHUFB, VPMOVZXWD,
 * LDTILECFG, TILELOADD, TILESTORED, TILEZERO, TDPB*D, TDPBF16PS. SPDX-License-Identifier: MIT */
#ifndef TESTS_STANDIN_IMMINTRIN_H
#define TESTS_STANDIN_IMMINTRIN_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STANDIN static inline __attribute__((unused))

typedef int32_t __m512i __attribute__((vector_size(64)));
typedef int32_t __m256i __attribute__((vector_size(32)));
typedef float __m512 __attribute__((vector_size(64)));
typedef int16_t __m512bh __attribute__((vector_size(64)));
typedef uint16_t __mmask16;

/* Bytes and halves of a vector, in the order of memory. */
STANDIN int32_t standin_dpbusd(int32_t sum, int32_t a, int32_t b)
{
    uint8_t u[4];
    int8_t s[4];
    memcpy(u, &a, sizeof u);
    memcpy(s, &b, sizeof s);
    for (int i = 0; i < 4; i++)
        sum = (int32_t)((uint32_t)sum + (uint32_t)(u[i] * s[i]));
    return sum;
}

STANDIN int32_t standin_madd(int32_t a, int32_t b)
{
    int16_t x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    return (int32_t)((uint32_t)(x[0] * y[0]) + (uint32_t)(x[1] * y[1]));
}

/* The integer half of both widths: BITS, LANES, and the names that differ. */
#define STANDIN_INTEGERS(BITS, COUNT)                                                              \
    STANDIN __m##BITS##i _mm##BITS##_set1_epi32(int x)                                             \
    {                                                                                              \
        __m##BITS##i v;                                                                            \
        for (int i = 0; i < COUNT; i++)                                                            \
            v[i] = x;                                                                              \
        return v;                                                                                  \
    }                                                                                              \
    STANDIN __m##BITS##i _mm##BITS##_loadu_si##BITS(const void *p)                                 \
    {                                                                                              \
        __m##BITS##i v;                                                                            \
        memcpy(&v, p, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    STANDIN void _mm##BITS##_storeu_si##BITS(void *p, __m##BITS##i v)                              \
    {                                                                                              \
        memcpy(p, &v, sizeof v);                                                                   \
    }                                                                                              \
    STANDIN __m##BITS##i _mm##BITS##_mullo_epi32(__m##BITS##i x, __m##BITS##i y)                   \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            x[i] = (int32_t)((uint32_t)x[i] * (uint32_t)y[i]);                                     \
        return x;                                                                                  \
    }                                                                                              \
    STANDIN __m##BITS##i _mm##BITS##_add_epi32(__m##BITS##i x, __m##BITS##i y)                     \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            x[i] = (int32_t)((uint32_t)x[i] + (uint32_t)y[i]);                                     \
        return x;                                                                                  \
    }                                                                                              \
    STANDIN __m##BITS##i _mm##BITS##_madd_epi16(__m##BITS##i x, __m##BITS##i y)                    \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            x[i] = standin_madd(x[i], y[i]);                                                       \
        return x;                                                                                  \
    }                                                                                              \
    STANDIN __m##BITS##i standin_dpbusd_##BITS(__m##BITS##i sum, __m##BITS##i x, __m##BITS##i y)   \
    {                                                                                              \
        for (int i = 0; i < COUNT; i++)                                                            \
            sum[i] = standin_dpbusd(sum[i], x[i], y[i]);                                           \
        return sum;                                                                                \
    }
STANDIN_INTEGERS(512, 16)
STANDIN_INTEGERS(256, 8)
#define _mm512_dpbusd_epi32 standin_dpbusd_512
#define _mm256_dpbusd_avx_epi32 standin_dpbusd_256

/* What brings rows of bytes and of halves together. */
typedef char __m128i __attribute__((vector_size(16)));
typedef uint64_t __mmask64;

STANDIN __m128i _mm_maskz_loadu_epi8(__mmask16 mask, const void *p)
{
    __m128i v = {0};
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            v[i] = ((const char *)p)[i];
    return v;
}

STANDIN __m512i _mm512_maskz_loadu_epi8(__mmask64 mask, const void *p)
{
    char bytes[64] = {0};
    __m512i v;
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1)
            bytes[i] = ((const char *)p)[i];
    memcpy(&v, bytes, sizeof v);
    return v;
}

STANDIN __m256i _mm256_maskz_loadu_epi16(__mmask16 mask, const void *p)
{
    int16_t halves[16] = {0};
    __m256i v;
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            memcpy(&halves[i], (const char *)p + 2 * i, 2);
    memcpy(&v, halves, sizeof v);
    return v;
}

STANDIN __m512i _mm512_cvtepu16_epi32(__m256i x)
{
    uint16_t halves[16];
    __m512i v;
    memcpy(halves, &x, sizeof halves);
    for (int i = 0; i < 16; i++)
        v[i] = halves[i];
    return v;
}

STANDIN __m512i _mm512_slli_epi32(__m512i x, unsigned count)
{
    for (int i = 0; i < 16; i++)
        x[i] = (int32_t)((uint32_t)x[i] << count);
    return x;
}

STANDIN __m512i _mm512_or_si512(__m512i x, __m512i y)
{
    return x | y;
}

STANDIN __m512i _mm512_xor_si512(__m512i x, __m512i y)
{
    return x ^ y;
}

STANDIN __m512i _mm512_castsi128_si512(__m128i x)
{
    __m512i v = {0};
    memcpy(&v, &x, sizeof x);
    return v;
}

STANDIN __m512i _mm512_inserti32x4(__m512i x, __m128i part, int at)
{
    memcpy((char *)&x + 16 * at, &part, sizeof part);
    return x;
}

STANDIN __m512i _mm512_broadcast_i32x4(__m128i x)
{
    __m512i v;
    for (int i = 0; i < 4; i++)
        memcpy((char *)&v + 16 * i, &x, sizeof x);
    return v;
}

STANDIN __m512i _mm512_permutexvar_epi32(__m512i at, __m512i x)
{
    __m512i v;
    for (int i = 0; i < 16; i++)
        v[i] = x[at[i] & 15];
    return v;
}

STANDIN __m512i _mm512_shuffle_epi8(__m512i x, __m512i at)
{
    char bytes[64], places[64], found[64];
    memcpy(bytes, &x, sizeof bytes);
    memcpy(places, &at, sizeof places);
    for (int i = 0; i < 64; i++)
        found[i] = (char)(places[i] < 0 ? 0 : bytes[(i & 48) + (places[i] & 15)]);
    memcpy(&x, found, sizeof x);
    return x;
}

#define _mm512_setr_epi32(...) ((__m512i){__VA_ARGS__})
#define _mm_setr_epi8(...) ((__m128i){__VA_ARGS__})

STANDIN __m512i _mm512_maskz_loadu_epi32(__mmask16 mask, const void *p)
{
    __m512i v = {0};
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            v[i] = ((const int32_t *)p)[i];
    return v;
}

STANDIN void _mm512_mask_storeu_epi32(void *p, __mmask16 mask, __m512i v)
{
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            ((int32_t *)p)[i] = v[i];
}

STANDIN __m256i _mm256_maskload_epi32(const int32_t *p, __m256i mask)
{
    __m256i v = {0};
    for (int i = 0; i < 8; i++)
        if (mask[i] < 0)
            v[i] = p[i];
    return v;
}

STANDIN void _mm256_maskstore_epi32(int32_t *p, __m256i mask, __m256i v)
{
    for (int i = 0; i < 8; i++)
        if (mask[i] < 0)
            p[i] = v[i];
}

STANDIN __m512 _mm512_set1_ps(float x)
{
    __m512 v;
    for (int i = 0; i < 16; i++)
        v[i] = x;
    return v;
}

STANDIN __m512 _mm512_loadu_ps(const void *p)
{
    __m512 v;
    memcpy(&v, p, sizeof v);
    return v;
}

STANDIN void _mm512_storeu_ps(void *p, __m512 v)
{
    memcpy(p, &v, sizeof v);
}

STANDIN __m512 _mm512_maskz_loadu_ps(__mmask16 mask, const float *p)
{
    __m512 v = {0};
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            v[i] = p[i];
    return v;
}

STANDIN void _mm512_mask_storeu_ps(float *p, __mmask16 mask, __m512 v)
{
    for (int i = 0; i < 16; i++)
        if (mask >> i & 1)
            p[i] = v[i];
}

STANDIN __m512 _mm512_mul_ps(__m512 x, __m512 y)
{
    return x * y;
}

STANDIN __m512 _mm512_fmadd_ps(__m512 x, __m512 y, __m512 z)
{
    for (int i = 0; i < 16; i++)
        z[i] = fmaf(x[i], y[i], z[i]);
    return z;
}

/* Denormals are taken for 0, and become 0; the sign stays. */
STANDIN float standin_flushed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* sum + a * b, rounded once to nearest even. */
STANDIN float standin_fma_bf16(float sum, uint16_t a, uint16_t b)
{
    const uint32_t bits[2] = {(uint32_t)a << 16, (uint32_t)b << 16};
    float x[2];
    memcpy(x, bits, sizeof x);
    return standin_flushed(
        fmaf(standin_flushed(x[0]), standin_flushed(x[1]), standin_flushed(sum)));
}

/* The odd elements' product is added first. */
STANDIN __m512 _mm512_dpbf16_ps(__m512 sum, __m512bh a, __m512bh b)
{
    for (int i = 0; i < 16; i++) {
        const float odd = standin_fma_bf16(sum[i], (uint16_t)a[2 * i + 1], (uint16_t)b[2 * i + 1]);
        sum[i] = standin_fma_bf16(odd, (uint16_t)a[2 * i], (uint16_t)b[2 * i]);
    }
    return sum;
}

/* The tile registers: without a configuration every access is a fault, as is one past its rows. */
struct standin_tile {
    int rows, row_bytes;
    uint8_t byte[16][64];
};
static _Thread_local struct standin_tile standin_tiles[8] __attribute__((unused));

STANDIN struct standin_tile *standin_tile(int number)
{
    if (number < 0 || number > 7 || !standin_tiles[number].rows)
        abort();
    return &standin_tiles[number];
}

STANDIN void _tile_loadconfig(const void *config)
{
    const uint8_t *bytes = config;
    memset(standin_tiles, 0, sizeof standin_tiles);
    if (bytes[0] != 1 || bytes[1] != 0)
        abort();
    for (int i = 2; i < 16; i++)
        if (bytes[i])
            abort();
    for (int i = 0; i < 8; i++) {
        standin_tiles[i].row_bytes = bytes[16 + 2 * i] | bytes[17 + 2 * i] << 8;
        standin_tiles[i].rows = bytes[48 + i];
        if (standin_tiles[i].row_bytes > 64 || standin_tiles[i].rows > 16)
            abort();
    }
}

STANDIN void _tile_release(void)
{
    memset(standin_tiles, 0, sizeof standin_tiles);
}

STANDIN void _tile_zero(int number)
{
    memset(standin_tile(number)->byte, 0, sizeof standin_tiles[number].byte);
}

STANDIN void _tile_loadd(int number, const void *base, int64_t stride)
{
    struct standin_tile *t = standin_tile(number);
    memset(t->byte, 0, sizeof t->byte);
    for (int i = 0; i < t->rows; i++)
        memcpy(t->byte[i], (const char *)base + i * stride, (size_t)t->row_bytes);
}

STANDIN void _tile_stored(int number, void *base, int64_t stride)
{
    const struct standin_tile *t = standin_tile(number);
    for (int i = 0; i < t->rows; i++)
        memcpy((char *)base + i * stride, t->byte[i], (size_t)t->row_bytes);
}

STANDIN int standin_byte(uint8_t byte, int is_signed)
{
    return is_signed ? (int8_t)byte : byte;
}

STANDIN void standin_dpb(int c, int a, int b, int a_signed, int b_signed)
{
    struct standin_tile *z = standin_tile(c);
    const struct standin_tile *x = standin_tile(a), *y = standin_tile(b);
    for (int m = 0; m < z->rows; m++)
        for (int k = 0; k < x->row_bytes / 4; k++)
            for (int n = 0; n < z->row_bytes / 4; n++) {
                uint32_t sum;
                memcpy(&sum, &z->byte[m][4 * n], sizeof sum);
                for (int i = 0; i < 4; i++)
                    sum += (uint32_t)(standin_byte(x->byte[m][4 * k + i], a_signed) *
                                      standin_byte(y->byte[k][4 * n + i], b_signed));
                memcpy(&z->byte[m][4 * n], &sum, sizeof sum);
            }
}
#define _tile_dpbssd(c, a, b) standin_dpb(c, a, b, 1, 1)
#define _tile_dpbsud(c, a, b) standin_dpb(c, a, b, 1, 0)
#define _tile_dpbusd(c, a, b) standin_dpb(c, a, b, 0, 1)
#define _tile_dpbuud(c, a, b) standin_dpb(c, a, b, 0, 0)

STANDIN uint16_t standin_half(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* Even and odd elements are summed up apart, then together, then onto what was there. */
STANDIN void _tile_dpbf16ps(int c, int a, int b)
{
    struct standin_tile *z = standin_tile(c);
    const struct standin_tile *x = standin_tile(a), *y = standin_tile(b);
    for (int m = 0; m < z->rows; m++)
        for (int n = 0; n < z->row_bytes / 4; n++) {
            float part[2] = {0, 0}, sum;
            for (int k = 0; k < x->row_bytes / 4; k++)
                for (int i = 0; i < 2; i++)
                    part[i] = standin_fma_bf16(part[i], standin_half(&x->byte[m][4 * k + 2 * i]),
                                               standin_half(&y->byte[k][4 * n + 2 * i]));
            memcpy(&sum, &z->byte[m][4 * n], sizeof sum);
            sum = standin_flushed(standin_flushed(sum) + standin_flushed(part[0] + part[1]));
            memcpy(&z->byte[m][4 * n], &sum, sizeof sum);
        }
}

#endif
