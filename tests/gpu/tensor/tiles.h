/* tiles.h: the random tiles on which tensor cores are measured: the same on the machine with the
 * GPU, which keeps the results alone, and where a model is held against them. C and C++.
 * SPDX-License-Identifier: MIT */
#ifndef TENSOR_TILES_H
#define TENSOR_TILES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum tile_element {
    TILE_F16,
    TILE_BF16,
    TILE_TF32,
    TILE_E4M3,
    TILE_E5M2,
    TILE_F32,
    TILE_F64,
    TILE_S8,
    TILE_U8,
    TILE_S32,
    TILE_B1
};

/* bits: of one element; exponent bits and fraction bits: 0 for integers. */
static const struct tile_format {
    int bits, exponent, fraction;
} tile_format[] = {{16, 5, 10},  {16, 8, 7}, {32, 8, 23}, {8, 4, 3},  {8, 5, 2}, {32, 8, 23},
                   {64, 11, 52}, {8, 0, 0},  {8, 0, 0},   {32, 0, 0}, {1, 0, 0}};

/* One kind of instruction. `stored` tiles are kept whole, `hashed` tiles by a hash; flags: of
 * wgmma. */
struct tile_kind {
    const char *name;
    int m, n, k;
    enum tile_element a, b, c;
    int stored, hashed;
    int flags;
};
enum {
    TILE_WGMMA = 1,
    TILE_NEGATE_A = 2,
    TILE_NEGATE_B = 4,
    TILE_NO_C = 8,         /* scale-d is 0 */
    TILE_A_REGISTERS = 16, /* A comes from registers */
    TILE_SATURATE = 32,
    TILE_TINY = 64 /* sums about half of the smallest fp16, and products of the smallest ones */
};

static const struct tile_kind tile_kinds[] = {
    {"mma_16816_f32_f16", 16, 8, 16, TILE_F16, TILE_F16, TILE_F32, 1024, 8192, 0},
    {"mma_16816_f16_f16", 16, 8, 16, TILE_F16, TILE_F16, TILE_F16, 1024, 8192, 0},
    {"mma_1688_f32_f16", 16, 8, 8, TILE_F16, TILE_F16, TILE_F32, 256, 8192, 0},
    {"mma_1688_f16_f16", 16, 8, 8, TILE_F16, TILE_F16, TILE_F16, 512, 8192, 0},
    {"mma_16816_f32_bf16", 16, 8, 16, TILE_BF16, TILE_BF16, TILE_F32, 1024, 8192, 0},
    {"mma_1688_f32_bf16", 16, 8, 8, TILE_BF16, TILE_BF16, TILE_F32, 256, 8192, 0},
    {"mma_1688_f32_tf32", 16, 8, 8, TILE_TF32, TILE_TF32, TILE_F32, 1024, 8192, 0},
    {"mma_1684_f32_tf32", 16, 8, 4, TILE_TF32, TILE_TF32, TILE_F32, 256, 8192, 0},
    {"mma_16832_f32_e4m3", 16, 8, 32, TILE_E4M3, TILE_E4M3, TILE_F32, 512, 8192, 0},
    {"mma_16832_f32_e5m2", 16, 8, 32, TILE_E5M2, TILE_E5M2, TILE_F32, 512, 8192, 0},
    {"mma_16832_f16_e4m3", 16, 8, 32, TILE_E4M3, TILE_E4M3, TILE_F16, 256, 8192, 0},
    {"mma_16832_s32_s8", 16, 8, 32, TILE_S8, TILE_S8, TILE_S32, 64, 4096, 0},
    {"mma_16832_s32_u8", 16, 8, 32, TILE_U8, TILE_U8, TILE_S32, 64, 4096, 0},
    {"mma_16832_sat_s8", 16, 8, 32, TILE_S8, TILE_S8, TILE_S32, 64, 4096, TILE_SATURATE},
    {"mma_16816_s32_s8", 16, 8, 16, TILE_S8, TILE_S8, TILE_S32, 64, 4096, 0},
    {"mma_884_f64", 8, 8, 4, TILE_F64, TILE_F64, TILE_F64, 128, 8192, 0},
    {"mma_1684_f64", 16, 8, 4, TILE_F64, TILE_F64, TILE_F64, 64, 8192, 0},
    {"mma_1688_f64", 16, 8, 8, TILE_F64, TILE_F64, TILE_F64, 64, 8192, 0},
    {"mma_16816_f64", 16, 8, 16, TILE_F64, TILE_F64, TILE_F64, 256, 8192, 0},
    {"mma_168256_xor_b1", 16, 8, 256, TILE_B1, TILE_B1, TILE_S32, 32, 1024, 0},
    {"mma_168256_and_b1", 16, 8, 256, TILE_B1, TILE_B1, TILE_S32, 32, 1024, 0},
    {"wg_f32_f16", 64, 8, 16, TILE_F16, TILE_F16, TILE_F32, 256, 4096, TILE_WGMMA},
    {"wg_f16_f16", 64, 8, 16, TILE_F16, TILE_F16, TILE_F16, 256, 4096, TILE_WGMMA},
    {"wg_f32_bf16", 64, 8, 16, TILE_BF16, TILE_BF16, TILE_F32, 128, 4096, TILE_WGMMA},
    {"wg_f32_tf32", 64, 8, 8, TILE_TF32, TILE_TF32, TILE_F32, 256, 4096, TILE_WGMMA},
    {"wg_f32_e4m3", 64, 8, 32, TILE_E4M3, TILE_E4M3, TILE_F32, 256, 4096, TILE_WGMMA},
    {"wg_f32_e5m2", 64, 8, 32, TILE_E5M2, TILE_E5M2, TILE_F32, 256, 4096, TILE_WGMMA},
    {"wg_f32_e4m3_e5m2", 64, 8, 32, TILE_E4M3, TILE_E5M2, TILE_F32, 64, 4096, TILE_WGMMA},
    {"wg_f16_e4m3", 64, 8, 32, TILE_E4M3, TILE_E4M3, TILE_F16, 256, 4096, TILE_WGMMA},
    {"wg_f16_e5m2", 64, 8, 32, TILE_E5M2, TILE_E5M2, TILE_F16, 256, 4096, TILE_WGMMA},
    {"wg_s32_s8", 64, 8, 32, TILE_S8, TILE_S8, TILE_S32, 32, 1024, TILE_WGMMA},
    {"wg_s32_u8_s8", 64, 8, 32, TILE_U8, TILE_S8, TILE_S32, 32, 1024, TILE_WGMMA},
    {"wg_sat_s8", 64, 8, 32, TILE_S8, TILE_S8, TILE_S32, 32, 1024, TILE_WGMMA | TILE_SATURATE},
    {"wg_and_b1", 64, 8, 256, TILE_B1, TILE_B1, TILE_S32, 16, 256, TILE_WGMMA},
    {"wg_f32_f16_nega", 64, 8, 16, TILE_F16, TILE_F16, TILE_F32, 64, 1024,
     TILE_WGMMA | TILE_NEGATE_A},
    {"wg_f32_f16_negab", 64, 8, 16, TILE_F16, TILE_F16, TILE_F32, 32, 1024,
     TILE_WGMMA | TILE_NEGATE_A | TILE_NEGATE_B},
    {"wg_f32_f16_noc", 64, 8, 16, TILE_F16, TILE_F16, TILE_F32, 64, 1024, TILE_WGMMA | TILE_NO_C},
    {"wg_f16_f16_noc", 64, 8, 16, TILE_F16, TILE_F16, TILE_F16, 64, 1024, TILE_WGMMA | TILE_NO_C},
    {"wg_f32_e4m3_noc", 64, 8, 32, TILE_E4M3, TILE_E4M3, TILE_F32, 64, 1024,
     TILE_WGMMA | TILE_NO_C},
    {"wg_f32_f16_rs", 64, 8, 16, TILE_F16, TILE_F16, TILE_F32, 64, 1024,
     TILE_WGMMA | TILE_A_REGISTERS},
    {"mma_16816_f16_tiny", 16, 8, 16, TILE_F16, TILE_F16, TILE_F16, 256, 8192, TILE_TINY},
    {"wg_f16_tiny", 64, 8, 16, TILE_F16, TILE_F16, TILE_F16, 64, 4096, TILE_WGMMA | TILE_TINY},
};
enum { TILE_KINDS = sizeof tile_kinds / sizeof tile_kinds[0] };

enum { TILE_LARGEST = 64 * 256, TILE_DISTRIBUTIONS = 16 };

/* A row by row (m x k), B column by column (n x k), C row by row (m x n): the bits of elements. */
struct tile {
    uint64_t a[TILE_LARGEST], b[8 * 256], c[64 * 8];
};

/* splitmix64 */
static inline uint64_t tile_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
static inline int tile_between(uint64_t *state, int low, int high)
{
    return low + (int)(tile_random(state) % (uint64_t)(high - low + 1));
}

/* A number with the exponent 2^e (clamped to what the format has), the fraction of one of a few
 * kinds. e under the smallest normal: a subnormal number. */
static inline uint64_t tile_number(uint64_t *state, enum tile_element element, int e)
{
    const struct tile_format *f = &tile_format[element];
    int bias = (1 << (f->exponent - 1)) - 1;
    int largest = element == TILE_E4M3 ? 15 : (1 << f->exponent) - 2;
    int field = e + bias;
    field = field < 0 ? 0 : field > largest ? largest : field;
    uint64_t r = tile_random(state), ones = ((uint64_t)1 << f->fraction) - 1, fraction;
    switch (r & 7) {
    case 0:
        fraction = 0;
        break;
    case 1:
        fraction = ones;
        break;
    case 2:
        fraction = 1;
        break;
    default:
        fraction = (r >> 8) & ones;
    }
    if (element == TILE_TF32 && (r & 0x70) != 0) { /* mostly without the 13 bits that it lacks */
        fraction &= ~(uint64_t)0x1fff;
    }
    if (element == TILE_E4M3 && field == 15 && fraction == 7) {
        fraction = 6;
    }
    return ((r >> 4 & 8) << (f->bits - 4)) | (uint64_t)field << f->fraction | fraction;
}

static inline uint64_t tile_special(uint64_t *state, enum tile_element element)
{
    const struct tile_format *f = &tile_format[element];
    uint64_t r = tile_random(state), ones = ((uint64_t)1 << f->fraction) - 1;
    uint64_t infinity = (((uint64_t)1 << f->exponent) - 1) << f->fraction;
    uint64_t fraction = r & 1 ? 0 : r & 2 ? 1 : (r >> 8) & ones;
    if (element == TILE_E4M3) {
        fraction = 7;
    }
    return (r >> 4 & 1) << (f->bits - 1) | infinity | fraction;
}

/* role 0: A or B; 1: C. `x` is drawn once for a row of A or a column of B, `k` is the position. */
static inline uint64_t tile_draw(uint64_t *state, enum tile_element element, int how, int role,
                                 uint64_t x, int k, int ks)
{
    const struct tile_format *f = &tile_format[element];
    int bias = f->exponent ? (1 << (f->exponent - 1)) - 1 : 0;
    uint64_t r = tile_random(state), sign = (r >> 5 & 1) << (f->bits - 1);
    if (f->exponent == 0) {
        if (role == 1 && (how & 3) == 1) { /* near the ends */
            return ((r & 1 ? 0x7fffffff : 0x80000000u) ^ (r >> 8 & 0xfffff)) & 0xffffffffu;
        }
        return f->bits == 1 ? r & 1 : (r >> 8) & (((uint64_t)1 << f->bits) - 1);
    }
    switch (how) {
    case 0:
    case 4:
        if (role == 1 && how == 4) {
            return tile_number(state, element, tile_between(state, -30, 2));
        }
        return tile_number(state, element, -(r & 1 ? 0 : tile_between(state, 0, 6)));
    case 1:
        return tile_number(state, element, tile_between(state, -bias, bias));
    case 2:
        return tile_number(state, element, tile_between(state, -12, 12));
    case 3:
        return tile_number(state, element, tile_between(state, -2, 2));
    case 5:
        return tile_number(state, element, tile_between(state, -bias, -bias + 2));
    case 6:
        return r % 24 == 0 ? tile_special(state, element)
                           : tile_number(state, element, tile_between(state, -2, 2));
    case 7:
        return tile_number(state, element, tile_between(state, bias - 2, bias + 1));
    case 8: /* any bits, but half of the columns and rows without what is not finite */
        if (x & 1) {
            return tile_random(state) & (f->bits == 64 ? ~0ull : ((uint64_t)1 << f->bits) - 1);
        }
        return tile_number(state, element, tile_between(state, -bias, bias + 1));
    case 9: /* one, two or three products, mostly powers of two */
        if (role == 0) {
            int hot = (k == (int)(x % (uint64_t)ks)) || (k == (int)((x >> 8) % (uint64_t)ks)) ||
                      ((x >> 24 & 1) && k == (int)((x >> 16) % (uint64_t)ks));
            if (!hot && (x >> 25 & 3)) {
                return sign;
            }
            return tile_number(state, element, tile_between(state, -9, 9)) &
                   (r & 0x300 ? ~(((uint64_t)1 << f->fraction) - 1) : ~0ull);
        }
        return r & 0x100 ? 0
                         : tile_number(state, element, tile_between(state, -26, 26)) &
                               (r & 0x200 ? ~(((uint64_t)1 << f->fraction) - 1) : ~0ull);
    case 10:
        return tile_number(state, element,
                           role ? tile_between(state, 4, 40) : tile_between(state, -4, 4));
    case 11:
        if (role) {
            return r & 0x300 ? sign
                             : tile_number(state, element, tile_between(state, -bias, -bias + 1));
        }
        return tile_number(state, element, tile_between(state, -12, 0));
    case 12: /* products where the result's subnormal numbers are */
        if (role) {
            return r & 0x300 ? tile_number(state, element, tile_between(state, -bias, -bias + 8))
                             : sign;
        }
        if (f->exponent < 8) {
            return r & 0x700 ? sign
                             : tile_number(state, element, -bias + tile_between(state, 0, 8));
        }
        return tile_number(state, element, -(bias / 2) - tile_between(state, 0, 13));
    case 13: /* sums near the largest number */
        if (role) {
            return tile_number(state, element, bias - tile_between(state, 0, 2));
        }
        if (f->exponent < 8) {
            return tile_number(state, element, bias / 2 + tile_between(state, -1, 1));
        }
        return tile_number(state, element, bias / 2 - tile_between(state, 0, 4));
    case 14:
        return role == 0 && (r & 0x300) ? sign
                                        : tile_number(state, element, tile_between(state, -16, 16));
    default: /* zeros, mostly */
        return r % 32 == 0 ? tile_number(state, element, tile_between(state, -bias, bias)) : sign;
    }
}

/* Of the kinds that are TILE_TINY. */
static inline uint64_t tile_tiny(uint64_t *state, int role)
{
    uint64_t r = tile_random(state), sign = (r & 1) << 15;
    if (role == 1) {
        return r & 6 ? sign : sign | (r >> 8 & 3);
    }
    switch (r >> 3 & 7) {
    case 0:
        return sign | (r >> 8 & 3); /* up to 3 times 2^-24 */
    case 1:
        return sign | (1 + (r >> 8 & 7)) << 10; /* 2^-14 to 2^-7 */
    default:
        return sign;
    }
}

/* Tile number `index` of a kind. */
static inline void tile_make(const struct tile_kind *kind, int index, struct tile *tile)
{
    uint64_t state = 0xcbf29ce484222325ull;
    for (const char *c = kind->name; *c; c++) {
        state = (state ^ (uint8_t)*c) * 0x100000001b3ull;
    }
    state += (uint64_t)index * 0x632be59bd9b4e019ull;
    int how = index % TILE_DISTRIBUTIONS;
    if (kind->flags & TILE_TINY) {
        for (int i = 0; i < (kind->m + kind->n) * kind->k; i++) {
            *(i < kind->m * kind->k ? &tile->a[i] : &tile->b[i - kind->m * kind->k]) =
                tile_tiny(&state, 0);
        }
        for (int i = 0; i < kind->m * kind->n; i++) {
            tile->c[i] = tile_tiny(&state, 1);
        }
        return;
    }
    for (int i = 0; i < kind->m; i++) {
        uint64_t x = tile_random(&state), *row = tile->a + i * kind->k;
        for (int k = 0; k < kind->k; k++) {
            row[k] = tile_draw(&state, kind->a, how, 0, x, k, kind->k);
            if (how == 4 && (k & 1) && tile_format[kind->a].exponent) {
                row[k] = row[k - 1] ^ (tile_random(&state) >> 63);
            }
        }
    }
    for (int j = 0; j < kind->n; j++) {
        uint64_t x = tile_random(&state), *column = tile->b + j * kind->k;
        if (how == 9) {
            x &= ~(uint64_t)0x6000000; /* no zeros in B */
        }
        for (int k = 0; k < kind->k; k++) {
            column[k] = tile_draw(&state, kind->b, how, 0, x, k, kind->k);
            if (how == 4 && (k & 1) && tile_format[kind->b].exponent) {
                column[k] = column[k - 1] ^ ((uint64_t)1 << (tile_format[kind->b].bits - 1));
            }
        }
    }
    for (int i = 0; i < kind->m * kind->n; i++) {
        tile->c[i] = tile_draw(&state, kind->c, how, 1, tile_random(&state), 0, 1);
    }
}

/* How many registers of 32 bits a thread has of A, B, C: of mma.sync, and C of wgmma. */
static inline int tile_words(const struct tile_kind *kind, char which)
{
    int warps = kind->flags & TILE_WGMMA ? 4 : 1;
    int bits = which == 'a'   ? kind->m * kind->k * tile_format[kind->a].bits
               : which == 'b' ? kind->n * kind->k * tile_format[kind->b].bits
                              : kind->m * kind->n * tile_format[kind->c].bits;
    return bits / (32 * 32 * warps);
}

static inline void tile_put(uint32_t *words, int bit, int bits, uint64_t value)
{
    for (int i = 0; i < bits; i += 32) {
        int part = bits - i < 32 ? bits - i : 32;
        uint32_t mask = part == 32 ? ~0u : (1u << part) - 1;
        words[(bit + i) / 32] |= ((uint32_t)(value >> i) & mask) << ((bit + i) % 32);
    }
}

/* The fragments of the PTX guide: words[lane * tile_words + register]; of wgmma 128 threads. A has
 * rows g and g + 8 in turn, each thread consecutive elements of 32 bits in all (of fp64 one). */
static inline void tile_pack_ab(const struct tile_kind *kind, char which, const uint64_t *from,
                                uint32_t *words)
{
    int bits = tile_format[which == 'a' ? kind->a : kind->b].bits;
    int run = bits >= 32 ? 1 : 32 / bits, halves = which == 'a' && kind->m > 8 ? 2 : 1;
    int count = tile_words(kind, which), warps = which == 'a' && (kind->flags & TILE_WGMMA) ? 4 : 1;
    memset(words, 0, sizeof *words * (size_t)(32 * warps * count));
    for (int lane = 0; lane < 32 * warps; lane++) {
        int g = lane % 32 / 4, t = lane % 4, pieces = count * 32 / (bits * run);
        for (int piece = 0; piece < pieces; piece++) {
            int row = lane / 32 * 16 + g + 8 * (piece % halves);
            for (int i = 0; i < run; i++) {
                int k = piece / halves * 4 * run + t * run + i;
                tile_put(words + lane * count, (piece * run + i) * bits, bits,
                         from[row * kind->k + k]);
            }
        }
    }
}

static inline void tile_pack_c(const struct tile_kind *kind, const uint64_t *from, uint32_t *words)
{
    int bits = tile_format[kind->c].bits, count = tile_words(kind, 'c');
    int warps = kind->flags & TILE_WGMMA ? 4 : 1;
    memset(words, 0, sizeof *words * (size_t)(32 * warps * count));
    for (int lane = 0; lane < 32 * warps; lane++) {
        int g = lane % 32 / 4, t = lane % 4;
        for (int e = 0; e < count * 32 / bits; e++) {
            int row = lane / 32 * 16 + g + 8 * (e / 2 % 2), column = e / 4 * 8 + 2 * t + e % 2;
            tile_put(words + lane * count, e * bits, bits, from[row * kind->n + column]);
        }
    }
}

/* FNV-1a, word by word. */
static inline uint64_t tile_hash(const uint32_t *words, int count)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x100000001b3ull;
    }
    return hash;
}

/* The shared memory of a wgmma without swizzle, K-major: core matrices of 8 rows of 16 bytes, two
 * along K, 128 bytes apart; the next 8 rows are 256 bytes on. B follows A. Returns its size. */
static inline int tile_image(const struct tile_kind *kind, const struct tile *tile, uint8_t *image)
{
    int offset = 0;
    for (int operand = 0; operand < 2; operand++) {
        const uint64_t *from = operand ? tile->b : tile->a;
        int rows = operand ? kind->n : kind->m;
        int bits = tile_format[operand ? kind->b : kind->a].bits;
        memset(image + offset, 0, (size_t)rows * 32);
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < kind->k; k++) {
                int byte = k * bits / 8, bit = k * bits % 8;
                uint8_t *to =
                    image + offset + row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
                for (int i = 0; i < (bits + 7) / 8; i++) {
                    to[i] |= (uint8_t)(from[row * kind->k + k] >> (8 * i) << bit);
                }
            }
        }
        offset += rows * 32;
    }
    return offset;
}

/* The head of a record of a file of results; the stored tiles follow, then the hashes. */
struct tile_record {
    char name[32];
    uint32_t words; /* of a tile */
    uint32_t stored, hashed;
    uint32_t magic;
};
enum { TILE_MAGIC = 0x454c4954 };

#endif
