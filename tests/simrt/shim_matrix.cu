// shim_matrix.cu: AMD's matrix instructions. Random matrices are laid out in registers by the formulas of AMD's matrix
// instruction calculator (element to lane and index), multiplied, and read back by them; the products are compared with
// plain loops. It is built for each architecture, with GRADUS_GFX and GRADUS_WARP_SIZE. SPDX-License-Identifier: MIT
#include "one_block.h"
#ifndef __AMDGCN__
#error "this is for AMD's GPUs"
#endif

template <class T, int n> struct vector {
    typedef T type __attribute__((vector_size(n * sizeof(T))));
};
template <class T> struct vector<T, 1> {
    typedef T type;
};
static int lane()
{
    return threadIdx.x % GRADUS_WARP_SIZE;
}

// Small whole numbers, which all types have and whose products have exact sums.
static int number(int which, int block, int row, int col)
{
    const unsigned mixed = (unsigned)(which * 7919 + block * 613 + row * 131 + col * 37) * 2654435761u;
    return (int)(mixed >> 28) % 7 - 3;
}

// ---- Numbers as the bits of a type of so many bits. ----
enum kind { F64, F32, F16, BF16, FP8, BF8, I8, U8, I4, U4, I32 };
static unsigned narrow(int x, int exponent_bits, int mantissa_bits, int bias)
{
    const unsigned size = (unsigned)(x < 0 ? -x : x);
    int exponent = 0;
    if (x == 0)
        return 0;
    while (size >> exponent > 1)
        exponent++;
    const unsigned fraction = (size << mantissa_bits >> exponent) - (1u << mantissa_bits);
    return (x < 0 ? 1u << (exponent_bits + mantissa_bits) : 0) | (unsigned)(exponent + bias) << mantissa_bits | fraction;
}
static const int fnuz = GRADUS_GFX == 0x942;
static unsigned bits_of(kind k, int x)
{
    switch (k) {
    case F32:
        return narrow(x, 8, 23, 127);
    case F16:
        return narrow(x, 5, 10, 15);
    case BF16:
        return narrow(x, 8, 7, 127);
    case FP8:
        return narrow(x, 4, 3, 7 + fnuz);
    case BF8:
        return narrow(x, 5, 2, 15 + fnuz);
    case U8:
    case U4:
        return (unsigned)(x + 3);
    case I4:
        return (unsigned)x & 15;
    case I8:
        return (unsigned)x & 255;
    default:
        return (unsigned)x;
    }
}
static int value_of(kind k, int x)
{
    return k == U8 || k == U4 ? x + 3 : x;
}
static int width_of(kind k)
{
    return k == F64 ? 64 : k == F32 || k == I32 ? 32 : k == F16 || k == BF16 ? 16 : k == I4 || k == U4 ? 4 : 8;
}
static void set(void *registers, kind k, int at, int x)
{
    unsigned char *bytes = (unsigned char *)registers;
    const int width = width_of(k);
    const unsigned bits = bits_of(k, x);
    const double wide = x;
    if (width == 64)
        memcpy(bytes + 8 * at, &wide, 8);
    else if (width == 4)
        bytes[at / 2] = (unsigned char)((bytes[at / 2] & ~(15 << at % 2 * 4)) | bits << at % 2 * 4);
    else
        memcpy(bytes + width / 8 * at, &bits, (size_t)width / 8);
}

// ---- The layouts, as the calculator prints them. ----
struct place {
    int lane, at;
};
struct shape {
    int size, depth, blocks, bits;
    int each; // elements of A and of B in a lane
};
static place mfma_in(const shape &s, int i, int k, int block)
{
    if (s.blocks == 1)
        return {s.size * (k / s.each) + i, k % s.each};
    if (s.bits == 64) // 4x4x4, 4 blocks
        return {4 * block + 16 * k + i, 0};
    return {s.size * block + i, k};
}
static place mfma_out(const shape &s, int i, int j, int block)
{
    if (s.bits == 64)
        return s.size == 16 ? place{16 * (i % 4) + j, i / 4} : place{16 * i + 4 * block + j, 0};
    if (s.size == 32)
        return {32 * (i / 4) % 64 + j, 16 * block + 4 * (i / 8) + i % 4};
    if (s.size == 16)
        return {16 * (i / 4) + j, 4 * block + i % 4};
    return {4 * block + j, i};
}
static place wmma11_in(int i, int k)
{
    return {i, k}; // and in every 16th lane after it
}
static place wmma11_out(int i, int j)
{
    return GRADUS_WARP_SIZE == 32 ? place{16 * i % 32 + j, i / 2} : place{16 * i % 64 + j, i / 4};
}
static place wmma12_in(const shape &s, int i, int k)
{
    if (s.bits == 16)
        return GRADUS_WARP_SIZE == 32 ? place{16 * (k / 4 % 2) + i, 2 * (2 * (k / 8) + k / 2 % 2) + k % 2}
                                      : place{32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i, 2 * (k / 2 % 2) + k % 2};
    if (s.bits == 8)
        return GRADUS_WARP_SIZE == 32 ? place{16 * (k / 8) + i, k % 8} : place{32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i, k % 4};
    if (s.depth == 16)
        return {16 * (k / 8) + i, k % 8};
    return GRADUS_WARP_SIZE == 32 ? place{16 * (k / 16) + i, k % 16} : place{32 * (k / 8 % 2) + 16 * (k / 16 % 2) + i, k % 8};
}
static place wmma12_out(int i, int j)
{
    return GRADUS_WARP_SIZE == 32 ? place{16 * (i / 8) + j, i % 8} : place{32 * (i / 4 % 2) + 16 * (i / 8) + j, i % 4};
}

// ---- One instruction. ----
enum family { MFMA, WMMA11, WMMA12 };
static place where_in(family f, const shape &s, int i, int k, int block)
{
    return f == MFMA ? mfma_in(s, i, k, block) : f == WMMA11 ? wmma11_in(i, k) : wmma12_in(s, i, k);
}
static place where_out(family f, const shape &s, int i, int j, int block)
{
    return f == MFMA ? mfma_out(s, i, j, block) : f == WMMA11 ? wmma11_out(i, j) : wmma12_out(i, j);
}
// How far apart the copies of A and B are in the lanes; GRADUS_WARP_SIZE: there is one.
static int copies(family f, const shape &s)
{
    if (f == WMMA11)
        return 16;
    return f == WMMA12 && s.bits == 4 && s.depth == 16 ? 32 : GRADUS_WARP_SIZE;
}
template <class A, class B, class C>
static void load(family f, const shape &s, kind kind_a, kind kind_b, kind kind_c, int stride, int upper, A &a, B &b, C &c)
{
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&c, 0xff, sizeof c);
    const int period = copies(f, s);
    for (int block = 0; block < s.blocks; block++)
        for (int i = 0; i < s.size; i++) {
            for (int k = 0; k < s.depth; k++) {
                const place p = where_in(f, s, i, k, block);
                if (p.lane % period != lane() % period)
                    continue;
                set(&a, kind_a, p.at, number(1, block, i, k));
                set(&b, kind_b, p.at, number(2, block, k, i));
            }
            for (int j = 0; j < s.size; j++) {
                const place p = where_out(f, s, i, j, block);
                if (p.lane == lane())
                    set(&c, kind_c, stride * p.at + upper, number(3, block, i, j));
            }
        }
}
static int product(const shape &s, kind kind_a, kind kind_b, int block_of_a, int block, int i, int j)
{
    int sum = number(3, block, i, j);
    for (int k = 0; k < s.depth; k++)
        sum += value_of(kind_a, number(1, block_of_a, i, k)) * value_of(kind_b, number(2, block, k, j));
    return sum;
}
template <class C>
static int wrong(family f, const shape &s, kind kind_a, kind kind_b, kind kind_c, int stride, int upper, const C &d, int cbsz = 0, int abid = 0)
{
    int faults = 0;
    for (int block = 0; block < s.blocks; block++)
        for (int i = 0; i < s.size; i++)
            for (int j = 0; j < s.size; j++) {
                const place p = where_out(f, s, i, j, block);
                if (p.lane != lane())
                    continue;
                C wanted = d;
                set(&wanted, kind_c, stride * p.at + upper,
                    product(s, kind_a, kind_b, cbsz ? (block & ~((1 << cbsz) - 1)) + abid : block, block, i, j));
                faults += memcmp(&wanted, &d, sizeof d) != 0;
            }
    return faults;
}

#define TRY_MFMA(name, size, depth, blocks, in_a, in_b, out, type_a, n_a, type_c)                                               \
    {                                                                                                                            \
        const shape s = {size, depth, blocks, width_of(out), size * depth * blocks / 64};                                        \
        vector<type_a, n_a>::type a, b;                                                                                          \
        vector<type_c, size * size * blocks / 64>::type c;                                                                       \
        load(MFMA, s, in_a, in_b, out, 1, 0, a, b, c);                                                                           \
        c = __builtin_amdgcn_mfma_##name(a, b, c, 0, 0, 0);                                                                      \
        CHECK(wrong(MFMA, s, in_a, in_b, out, 1, 0, c) == 0 && #name);                                                           \
    }
#define TRY_WMMA(family, name, depth, in_a, in_b, out, type_a, n_a, type_c, n_c)                                                 \
    {                                                                                                                            \
        const shape s = {16, depth, 1, width_of(in_a), 0};                                                                       \
        vector<type_a, n_a>::type a, b;                                                                                          \
        vector<type_c, n_c>::type c;                                                                                             \
        load(family, s, in_a, in_b, out, 1, 0, a, b, c);                                                                         \
        c = name(a, b, c);                                                                                                       \
        CHECK(wrong(family, s, in_a, in_b, out, 1, 0, c) == 0 && #name);                                                         \
    }
#define TRY_UPPER(name, in, upper, n_c)                                                                                          \
    {                                                                                                                            \
        const shape s = {16, 16, 1, 16, 0};                                                                                      \
        vector<short, 16>::type a, b;                                                                                            \
        vector<short, n_c>::type c;                                                                                              \
        load(WMMA11, s, in, in, in, 2, upper, a, b, c);                                                                          \
        c = name(a, b, c, upper);                                                                                                \
        CHECK(wrong(WMMA11, s, in, in, in, 2, upper, c) == 0 && c[!upper] == -1 && #name);                                       \
    }
#define TRY_INT(family, name, depth, in_a, in_b, type_a, n_a, n_c)                                                               \
    {                                                                                                                            \
        const shape s = {16, depth, 1, width_of(in_a), 0};                                                                       \
        vector<type_a, n_a>::type a, b;                                                                                          \
        vector<int, n_c>::type c;                                                                                                \
        load(family, s, in_a, in_b, I32, 1, 0, a, b, c);                                                                         \
        c = name(in_a == I8 || in_a == I4, a, in_b == I8 || in_b == I4, b, c, false);                                            \
        CHECK(wrong(family, s, in_a, in_b, I32, 1, 0, c) == 0 && #name);                                                         \
    }

#if __GFX9__
static void broadcasts()
{
    const shape s = {16, 1, 4, 32, 1};
    float a, b;
    vector<float, 16>::type c;
    load(MFMA, s, F32, F32, F32, 1, 0, a, b, c);
    c = __builtin_amdgcn_mfma_f32_16x16x1f32(a, b, c, 1, 1, 0);
    CHECK(wrong(MFMA, s, F32, F32, F32, 1, 0, c, 1, 1) == 0);
    /* B from the lanes that the calculator prints for column 0, k 0 of 32x32x2: v0{0}, v0{32}, v0{16}, then the quarters. */
    static const int from[8] = {0, 0, 32, 16, 0, 16, 32, 48};
    vector<float, 16>::type zero = {};
#define FROM(blgp)                                                                                                               \
    {                                                                                                                            \
        auto d = __builtin_amdgcn_mfma_f32_32x32x2f32(lane() < 32 ? 1.0f : 0.0f, (float)lane(), zero, 0, 0, blgp);               \
        CHECK(lane() % 32 != 0 || d[0] == from[blgp]);                                                                           \
    }
    FROM(1) FROM(2) FROM(3) FROM(4) FROM(5) FROM(6) FROM(7)
}
// 16x16x4: A is the identity's first four columns times 1, 2, 3, 4; row k of B is 100 k + its column. So row i of the
// product is (i + 1) times row i of B for i below 4, which lanes 0 to 15 have in their elements 0 to 3.
static void by_hand()
{
    const int i = lane() % 16, k = lane() / 16;
    vector<float, 4>::type c = {};
    c = __builtin_amdgcn_mfma_f32_16x16x4f32(i == k ? (float)(k + 1) : 0.0f, (float)(100 * k + i), c, 0, 0, 0);
    if (lane() == 5)
        CHECK(c[0] == 5 && c[1] == 210 && c[2] == 615 && c[3] == 1220);
    if (lane() >= 16)
        CHECK(c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0);
}
static void all()
{
    by_hand();
    broadcasts();
    TRY_MFMA(f32_32x32x1f32, 32, 1, 2, F32, F32, F32, float, 1, float)
    TRY_MFMA(f32_16x16x1f32, 16, 1, 4, F32, F32, F32, float, 1, float)
    TRY_MFMA(f32_4x4x1f32, 4, 1, 16, F32, F32, F32, float, 1, float)
    TRY_MFMA(f32_32x32x2f32, 32, 2, 1, F32, F32, F32, float, 1, float)
    TRY_MFMA(f32_16x16x4f32, 16, 4, 1, F32, F32, F32, float, 1, float)
    TRY_MFMA(f32_32x32x4f16, 32, 4, 2, F16, F16, F32, short, 4, float)
    TRY_MFMA(f32_16x16x4f16, 16, 4, 4, F16, F16, F32, short, 4, float)
    TRY_MFMA(f32_4x4x4f16, 4, 4, 16, F16, F16, F32, short, 4, float)
    TRY_MFMA(f32_32x32x8f16, 32, 8, 1, F16, F16, F32, short, 4, float)
    TRY_MFMA(f32_16x16x16f16, 16, 16, 1, F16, F16, F32, short, 4, float)
    TRY_MFMA(f32_32x32x2bf16, 32, 2, 2, BF16, BF16, F32, short, 2, float)
    TRY_MFMA(f32_16x16x2bf16, 16, 2, 4, BF16, BF16, F32, short, 2, float)
    TRY_MFMA(f32_4x4x2bf16, 4, 2, 16, BF16, BF16, F32, short, 2, float)
    TRY_MFMA(f32_32x32x4bf16, 32, 4, 1, BF16, BF16, F32, short, 2, float)
    TRY_MFMA(f32_16x16x8bf16, 16, 8, 1, BF16, BF16, F32, short, 2, float)
    TRY_MFMA(i32_32x32x4i8, 32, 4, 2, I8, I8, I32, int, 1, int)
    TRY_MFMA(i32_16x16x4i8, 16, 4, 4, I8, I8, I32, int, 1, int)
    TRY_MFMA(i32_4x4x4i8, 4, 4, 16, I8, I8, I32, int, 1, int)
#if GRADUS_GFX <= 0x90a
    TRY_MFMA(i32_32x32x8i8, 32, 8, 1, I8, I8, I32, int, 1, int)
    TRY_MFMA(i32_16x16x16i8, 16, 16, 1, I8, I8, I32, int, 1, int)
#endif
#if GRADUS_GFX >= 0x90a
    TRY_MFMA(f32_32x32x4bf16_1k, 32, 4, 2, BF16, BF16, F32, short, 4, float)
    TRY_MFMA(f32_16x16x4bf16_1k, 16, 4, 4, BF16, BF16, F32, short, 4, float)
    TRY_MFMA(f32_4x4x4bf16_1k, 4, 4, 16, BF16, BF16, F32, short, 4, float)
    TRY_MFMA(f32_32x32x8bf16_1k, 32, 8, 1, BF16, BF16, F32, short, 4, float)
    TRY_MFMA(f32_16x16x16bf16_1k, 16, 16, 1, BF16, BF16, F32, short, 4, float)
    TRY_MFMA(f64_16x16x4f64, 16, 4, 1, F64, F64, F64, double, 1, double)
    TRY_MFMA(f64_4x4x4f64, 4, 4, 4, F64, F64, F64, double, 1, double)
#endif
#if GRADUS_GFX >= 0x942
    TRY_MFMA(i32_32x32x16_i8, 32, 16, 1, I8, I8, I32, long, 1, int)
    TRY_MFMA(i32_16x16x32_i8, 16, 32, 1, I8, I8, I32, long, 1, int)
    TRY_MFMA(f32_32x32x16_fp8_fp8, 32, 16, 1, FP8, FP8, F32, long, 1, float)
    TRY_MFMA(f32_32x32x16_bf8_bf8, 32, 16, 1, BF8, BF8, F32, long, 1, float)
    TRY_MFMA(f32_16x16x32_fp8_bf8, 16, 32, 1, FP8, BF8, F32, long, 1, float)
    TRY_MFMA(f32_16x16x32_bf8_fp8, 16, 32, 1, BF8, FP8, F32, long, 1, float)
#endif
#if GRADUS_GFX == 0x942
    TRY_MFMA(f32_32x32x4_xf32, 32, 4, 1, F32, F32, F32, float, 2, float)
    TRY_MFMA(f32_16x16x8_xf32, 16, 8, 1, F32, F32, F32, float, 2, float)
#endif
#if GRADUS_GFX == 0x950
    TRY_MFMA(f32_32x32x16_f16, 32, 16, 1, F16, F16, F32, short, 8, float)
    TRY_MFMA(f32_16x16x32_f16, 16, 32, 1, F16, F16, F32, short, 8, float)
    TRY_MFMA(f32_32x32x16_bf16, 32, 16, 1, BF16, BF16, F32, short, 8, float)
    TRY_MFMA(f32_16x16x32_bf16, 16, 32, 1, BF16, BF16, F32, short, 8, float)
    TRY_MFMA(i32_32x32x32_i8, 32, 32, 1, I8, I8, I32, int, 4, int)
    TRY_MFMA(i32_16x16x64_i8, 16, 64, 1, I8, I8, I32, int, 4, int)
#endif
}
#else
enum { N = 256 / GRADUS_WARP_SIZE }; // elements of C in a lane
#if __GFX11__
enum { WORDS = 4 }; // of 8-bit elements of A in a lane
#else
enum { WORDS = N / 4 };
#endif
#if __GFX11__ && GRADUS_WARP_SIZE == 32
#define W(name) __builtin_amdgcn_wmma_##name##_w32
#elif __GFX11__
#define W(name) __builtin_amdgcn_wmma_##name##_w64
#elif GRADUS_WARP_SIZE == 32
#define W(name) __builtin_amdgcn_wmma_##name##_w32_gfx12
#else
#define W(name) __builtin_amdgcn_wmma_##name##_w64_gfx12
#endif
static void all()
{
#if __GFX11__
    TRY_WMMA(WMMA11, W(f32_16x16x16_f16), 16, F16, F16, F32, short, 16, float, N)
    TRY_WMMA(WMMA11, W(f32_16x16x16_bf16), 16, BF16, BF16, F32, short, 16, float, N)
    TRY_UPPER(W(f16_16x16x16_f16), F16, false, 2 * N)
    TRY_UPPER(W(f16_16x16x16_f16), F16, true, 2 * N)
    TRY_UPPER(W(bf16_16x16x16_bf16_tied), BF16, true, 2 * N)
    TRY_INT(WMMA11, W(i32_16x16x16_iu8), 16, I8, U8, int, 4, N)
    TRY_INT(WMMA11, W(i32_16x16x16_iu4), 16, U4, I4, int, 2, N)
#else
    TRY_WMMA(WMMA12, W(f32_16x16x16_f16), 16, F16, F16, F32, short, N, float, N)
    TRY_WMMA(WMMA12, W(f32_16x16x16_bf16), 16, BF16, BF16, F32, short, N, float, N)
    TRY_WMMA(WMMA12, W(f16_16x16x16_f16), 16, F16, F16, F16, short, N, short, N)
    TRY_WMMA(WMMA12, W(bf16_16x16x16_bf16), 16, BF16, BF16, BF16, short, N, short, N)
    TRY_WMMA(WMMA12, W(f32_16x16x16_fp8_bf8), 16, FP8, BF8, F32, int, N / 4, float, N)
    TRY_WMMA(WMMA12, W(f32_16x16x16_bf8_fp8), 16, BF8, FP8, F32, int, N / 4, float, N)
    TRY_INT(WMMA12, W(i32_16x16x16_iu8), 16, U8, I8, int, N / 4, N)
    TRY_INT(WMMA12, W(i32_16x16x16_iu4), 16, I4, U4, int, 1, N)
    TRY_INT(WMMA12, W(i32_16x16x32_iu4), 32, U4, U4, int, N / 4, N)
#endif
    /* Clamped to 32 bits, and not. */
    vector<int, WORDS>::type one;
    for (int i = 0; i < WORDS; i++)
        ((int *)&one)[i] = i == 0 && (WORDS == 4 || lane() < 16);
    vector<int, N>::type c;
    for (int i = 0; i < N; i++)
        c[i] = 0x7fffffff;
    CHECK(W(i32_16x16x16_iu8)(true, one, true, one, c, true)[0] == 0x7fffffff);
    CHECK(W(i32_16x16x16_iu8)(true, one, true, one, c, false)[0] == -0x7fffffff - 1);
}
#if __GFX11__
static void different_copies()
{
    vector<short, 16>::type a = {}, b = {};
    vector<float, N>::type c = {};
    a[3] = (short)(lane() >= 16 ? 0x3c00 : 0);
    W(f32_16x16x16_f16)(a, b, c);
}
#endif
#endif
static void some_lanes()
{
#if __GFX9__
    vector<float, 4>::type c = {};
    if (lane() != 3)
        __builtin_amdgcn_mfma_f32_16x16x4f32(1.0f, 1.0f, c, 0, 0, 0);
#endif
}

static float told; // so that there is an access
int main()
{
    one_block_warp = GRADUS_WARP_SIZE;
    one_block_run([] { told = 1, all(); }, 1, 128, 1, 1);
    CHECK(one_block_failure[0] == 0 && told == 1);
#if __GFX9__
    one_block_run(some_lanes, 1, 64, 1, 1);
    CHECK(one_block_failure[0] != 0);
#endif
#if __GFX11__
    one_block_run(different_copies, 1, GRADUS_WARP_SIZE, 1, 1);
    CHECK(strstr(one_block_failure, "differ") != NULL);
#endif
    return one_block_faults != 0;
}
