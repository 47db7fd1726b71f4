// gr_matrix.h: AMD's matrix instructions, MFMA and WMMA, under the names of clang's built-in
// functions. Each is executed by a whole wave: the lanes pass their registers, one product is
// computed, and each lane gets its part of it. SPDX-License-Identifier: MIT
//
// The lane of each element is given in AMD's instruction set guides (CDNA 1 to 4, RDNA 3 and 4),
// and printed by AMD's matrix instruction calculator; tests/simrt/shim_matrix.cu compares the two
// directions of this mapping. The rounding of sums in hardware is not documented: here each sum is
// computed in double (exactly for integers) and rounded once.
#ifndef GR_MATRIX_H
#define GR_MATRIX_H

#if GRADUS_GFX
#include <cuda_fp8.h>

// ---- The contents of registers: the element `at` of a lane's operand. ----

struct gr_of_f32 {
    typedef double sum;
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        return ((const float *)from)[at];
    }
    GR_INLINE_MEMBER static void put(void *to, int at, double x, int)
    {
        ((float *)to)[at] = (float)x;
    }
};
struct gr_of_f64 {
    typedef double sum;
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        return ((const double *)from)[at];
    }
    GR_INLINE_MEMBER static void put(void *to, int at, double x, int)
    {
        ((double *)to)[at] = x;
    }
};
struct gr_of_f16 {
    typedef double sum;
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        return gr_half_value(((const unsigned short *)from)[at]);
    }
    GR_INLINE_MEMBER static void put(void *to, int at, double x, int)
    {
        ((unsigned short *)to)[at] = (unsigned short)gr_narrow<5, 10>(x);
    }
};
struct gr_of_bf16 {
    typedef double sum;
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        return gr_bfloat16_value(((const unsigned short *)from)[at]);
    }
    GR_INLINE_MEMBER static void put(void *to, int at, double x, int)
    {
        ((unsigned short *)to)[at] = (unsigned short)gr_narrow<8, 7>(x);
    }
};
// A float of which the ten upper bits of the mantissa are used.
struct gr_of_xf32 {
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        const unsigned bits = ((const unsigned *)from)[at], up = 0xfff + (bits >> 13 & 1);
        const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
        return gr_bits<float>(finite ? (bits + up) & ~0x1fffu : bits);
    }
};
// CDNA 3 has 8-bit numbers without infinities and without a negative zero, whose code is the NaN;
// the bias is larger by one than that of the numbers of OCP, which CDNA 4 and RDNA 4 have.
template <int gr_exponent, int gr_mantissa> GR_INLINE float gr_fnuz_value(unsigned code)
{
    const unsigned exponent = code >> gr_mantissa & ((1u << gr_exponent) - 1);
    const unsigned mantissa = code & ((1u << gr_mantissa) - 1);
    const int bias = 1 << (gr_exponent - 1);
    const float sign = code & 0x80 ? -1.0f : 1.0f;
    if (code == 0x80)
        return __builtin_nanf("");
    if (exponent == 0)
        return sign * (float)mantissa * gr_bits<float>((unsigned)(128 - bias - gr_mantissa) << 23);
    return sign * gr_bits<float>((exponent + 127 - bias) << 23 | mantissa << (23 - gr_mantissa));
}
struct gr_of_fp8 {
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        const unsigned code = ((const unsigned char *)from)[at];
        return GRADUS_GFX == 0x942 ? gr_fnuz_value<4, 3>(code) : gr_e4m3_value(code);
    }
};
struct gr_of_bf8 {
    GR_INLINE_MEMBER static double get(const void *from, int at, int)
    {
        const unsigned code = ((const unsigned char *)from)[at];
        return GRADUS_GFX == 0x942 ? gr_fnuz_value<5, 2>(code) : gr_widen<5, 2>(code);
    }
};
// Integers. `flag`: the operand is signed; of a result, it is clamped to 32 bits.
struct gr_of_i32 {
    typedef long long sum;
    GR_INLINE_MEMBER static long long get(const void *from, int at, int)
    {
        return ((const int *)from)[at];
    }
    GR_INLINE_MEMBER static void put(void *to, int at, long long x, int flag)
    {
        if (flag)
            x = x > 0x7fffffff ? 0x7fffffff : x < -0x80000000LL ? -0x80000000LL : x;
        ((unsigned *)to)[at] = (unsigned)x;
    }
};
struct gr_of_i8 {
    GR_INLINE_MEMBER static long long get(const void *from, int at, int flag)
    {
        return flag ? (long long)((const signed char *)from)[at]
                    : ((const unsigned char *)from)[at];
    }
};
struct gr_of_i4 {
    GR_INLINE_MEMBER static long long get(const void *from, int at, int flag)
    {
        const int code = ((const unsigned char *)from)[at / 2] >> at % 2 * 4 & 15;
        return flag && code >= 8 ? code - 16 : code;
    }
};

// ---- The places of elements. ----

// The row of an element of A (or the column of one of B) with its index along K, or the row of an
// element of C with its column as `k`. `at`: its index among the elements of the lane's register
// that has it.
struct gr_element {
    int row, k, block, at;
};

// MFMA: `blocks` independent products of two matrices whose C has gr_size x gr_size elements.
template <int gr_size, int gr_k, int gr_blocks> struct gr_mfma {
    static constexpr int size = gr_size, depth = gr_k, blocks = gr_blocks, lanes = 64;
    static constexpr int each = gr_size * gr_k * gr_blocks / 64; // elements of A in a lane
    static constexpr int results = gr_size * gr_size * gr_blocks / 64;
    static constexpr bool repeated = false;
    GR_INLINE_MEMBER static gr_element operand(int lane, int i)
    {
        return {lane % gr_size, each * (lane / (gr_size * gr_blocks)) + i,
                lane / gr_size % gr_blocks, i};
    }
    // The lanes have groups of four rows in turn.
    GR_INLINE_MEMBER static gr_element result(int lane, int i, int)
    {
        const int group = i / 4 * (64 / gr_size) + lane / gr_size, groups = gr_size / 4;
        return {4 * (group % groups) + i % 4, lane % gr_size, group / groups, i};
    }
};
// Of doubles the lanes have single rows in turn.
template <int gr_size, int gr_k, int gr_blocks>
struct gr_mfma_f64 : gr_mfma<gr_size, gr_k, gr_blocks> {
    GR_INLINE_MEMBER static gr_element result(int lane, int i, int)
    {
        const int row = i * (64 / gr_size) + lane / gr_size;
        return {row / gr_blocks, lane % gr_size, row % gr_blocks, i};
    }
};
// RDNA 3: every 16 lanes have all of A and B. A 16-bit result is in the lower or the upper half of
// its register.
template <int gr_stride> struct gr_wmma {
    static constexpr int size = 16, depth = 16, blocks = 1, lanes = GRADUS_WARP_SIZE, each = 16;
    static constexpr int results = 256 / GRADUS_WARP_SIZE;
    static constexpr bool repeated = true;
    GR_INLINE_MEMBER static gr_element operand(int lane, int i)
    {
        return {lane % 16, i, 0, i};
    }
    GR_INLINE_MEMBER static gr_element result(int lane, int i, int upper)
    {
        return {GRADUS_WARP_SIZE / 16 * i + lane / 16, lane % 16, 0, gr_stride * i + upper};
    }
};
// RDNA 4: each element is in one lane, except for 4-bit ones of depth 16 in waves of 64.
template <int gr_k, int gr_bits_each> struct gr_wmma12 {
    static constexpr int size = 16, depth = gr_k, blocks = 1, lanes = GRADUS_WARP_SIZE;
    static constexpr int all = 16 * gr_k / GRADUS_WARP_SIZE;
    static constexpr int each = all * gr_bits_each < 32 ? 32 / gr_bits_each : all;
    static constexpr int results = 256 / GRADUS_WARP_SIZE;
    static constexpr bool repeated = each != all;
    GR_INLINE_MEMBER static gr_element operand(int lane, int i)
    {
        const int low = lane / 16 % 2, high = lane / 32;
        if (gr_bits_each == 16)
            return {lane % 16, 8 * (i / 4) + 4 * (lane / 16) + i % 4, 0, i};
        return {lane % 16, gr_k / 2 * low + (repeated ? 0 : each * high) + i, 0, i};
    }
    GR_INLINE_MEMBER static gr_element result(int lane, int i, int)
    {
        const int half = GRADUS_WARP_SIZE == 64 ? 4 * (lane / 32) : 0;
        return {8 * (lane / 16 % 2) + half + i, lane % 16, 0, i};
    }
};

// ---- The product. ----

struct gr_registers {
    alignas(16) unsigned char a[64], b[64], c[128];
    int a_flag, b_flag, c_flag; // of the integers; c_flag also chooses the half of a register
    int cbsz, abid, blgp;
};

// The lane from which B is taken: BLGP broadcasts a half or a quarter of the lanes, or rotates them
// by 16.
GR_INLINE int gr_lane_of_b(int lane, int blgp)
{
    return blgp == 0   ? lane
           : blgp < 3  ? 32 * (blgp - 1) + lane % 32
           : blgp == 3 ? (lane + 16) % 64
                       : 16 * (blgp - 4) + lane % 16;
}

template <class gr_shape, class gr_a, class gr_b, class gr_c>
GR_QUIET static const char *gr_matrix_work(void *const *own)
{
    typedef typename gr_c::sum sum;
    const int size = gr_shape::size, depth = gr_shape::depth;
    sum a[gr_shape::blocks][gr_shape::size][gr_shape::depth];
    sum b[gr_shape::blocks][gr_shape::depth][gr_shape::size];
    sum c[gr_shape::blocks][gr_shape::size][gr_shape::size];
    gr_registers *const *of = (gr_registers *const *)own;
    for (int lane = 0; lane < gr_shape::lanes; lane++) {
        const gr_registers *r = of[lane], *of_b = of[gr_lane_of_b(lane, r->blgp)];
        for (int i = 0; i < gr_shape::each; i++) {
            const gr_element e = gr_shape::operand(lane, i);
            const sum x = gr_a::get(r->a, e.at, r->a_flag), y = gr_b::get(of_b->b, e.at, r->b_flag);
            if (gr_shape::repeated && lane >= 16 &&
                (__builtin_memcmp(&a[0][e.row][e.k], &x, sizeof x) != 0 ||
                 __builtin_memcmp(&b[0][e.k][e.row], &y, sizeof y) != 0) &&
                (lane >= 32 || gr_shape::each == gr_shape::depth))
                return "lanes that must have the same part of A and B for a WMMA differ";
            a[e.block][e.row][e.k] = x;
            b[e.block][e.k][e.row] = y;
        }
        for (int i = 0; i < gr_shape::results; i++) {
            const gr_element e = gr_shape::result(lane, i, r->c_flag);
            c[e.block][e.row][e.k] = gr_c::get(r->c, e.at, 0);
        }
    }
    const int same = (1 << of[0]->cbsz) - 1, abid = of[0]->abid;
    for (int block = 0; block < gr_shape::blocks; block++)
        for (int i = 0; i < size; i++)
            for (int k = 0; k < depth; k++) {
                const sum x = a[same ? (block & ~same) | (abid & same) : block][i][k];
                for (int j = 0; j < size; j++)
                    c[block][i][j] += x * b[block][k][j];
            }
    for (int lane = 0; lane < gr_shape::lanes; lane++)
        for (int i = 0; i < gr_shape::results; i++) {
            const gr_element e = gr_shape::result(lane, i, of[lane]->c_flag);
            gr_c::put(of[lane]->c, e.at, c[e.block][e.row][e.k], of[lane]->c_flag);
        }
    return nullptr;
}

template <class gr_shape, class gr_a, class gr_b, class gr_c, int gr_bytes, int gr_bytes_c,
          class gr_type, class gr_type_c>
GR_QUIET static gr_type_c gr_matrix(const gr_type &one, const gr_type &other, gr_type_c sum,
                                    gr_registers r, const void *site)
{
    static_assert(sizeof one == gr_bytes, "an operand of this matrix instruction has another size");
    static_assert(sizeof sum == gr_bytes_c, "this matrix instruction adds to another size");
    __builtin_memcpy(r.a, &one, sizeof one);
    __builtin_memcpy(r.b, &other, sizeof other);
    __builtin_memcpy(r.c, &sum, sizeof sum);
    gr_sim_together(&r, gr_matrix_work<gr_shape, gr_a, gr_b, gr_c>, site);
    __builtin_memcpy(&sum, r.c, sizeof sum);
    return sum;
}

// ---- The names. `type` is gr_any, a vector of that many bytes, or the scalar type that clang
// requires. ----

#define GR_MFMA(name, of_a, of_b, of_c, type, bytes, bytes_c, ...)                                 \
    template <class gr_type_c, class gr_any = int>                                                 \
    GR_PLACED static gr_type_c __builtin_amdgcn_mfma_##name(type a, type b, gr_type_c c, int cbsz, \
                                                            int abid, int blgp)                    \
    {                                                                                              \
        gr_registers r = {};                                                                       \
        r.a_flag = r.b_flag = 1;                                                                   \
        r.cbsz = cbsz;                                                                             \
        r.abid = abid;                                                                             \
        r.blgp = blgp;                                                                             \
        return gr_matrix<__VA_ARGS__, of_a, of_b, of_c, bytes, bytes_c>(a, b, c, r, GR_SITE);      \
    }
#define GR_MFMA_FLOAT(name, of, type, bytes, bytes_c, ...)                                         \
    GR_MFMA(name, of, of, gr_of_f32, type, bytes, bytes_c, gr_mfma<__VA_ARGS__>)
#define GR_MFMA_INT(name, type, bytes, bytes_c, ...)                                               \
    GR_MFMA(name, gr_of_i8, gr_of_i8, gr_of_i32, type, bytes, bytes_c, gr_mfma<__VA_ARGS__>)
#define GR_MFMA_FP8(kinds, of_a, of_b)                                                             \
    GR_MFMA(f32_16x16x32_##kinds, of_a, of_b, gr_of_f32, long, 8, 16, gr_mfma<16, 32, 1>)          \
    GR_MFMA(f32_32x32x16_##kinds, of_a, of_b, gr_of_f32, long, 8, 64, gr_mfma<32, 16, 1>)

#if __GFX9__ && GRADUS_GFX >= 0x908
GR_MFMA_FLOAT(f32_32x32x1f32, gr_of_f32, float, 4, 128, 32, 1, 2)
GR_MFMA_FLOAT(f32_16x16x1f32, gr_of_f32, float, 4, 64, 16, 1, 4)
GR_MFMA_FLOAT(f32_4x4x1f32, gr_of_f32, float, 4, 16, 4, 1, 16)
GR_MFMA_FLOAT(f32_32x32x2f32, gr_of_f32, float, 4, 64, 32, 2, 1)
GR_MFMA_FLOAT(f32_16x16x4f32, gr_of_f32, float, 4, 16, 16, 4, 1)
GR_MFMA_FLOAT(f32_32x32x4f16, gr_of_f16, gr_any, 8, 128, 32, 4, 2)
GR_MFMA_FLOAT(f32_16x16x4f16, gr_of_f16, gr_any, 8, 64, 16, 4, 4)
GR_MFMA_FLOAT(f32_4x4x4f16, gr_of_f16, gr_any, 8, 16, 4, 4, 16)
GR_MFMA_FLOAT(f32_32x32x8f16, gr_of_f16, gr_any, 8, 64, 32, 8, 1)
GR_MFMA_FLOAT(f32_16x16x16f16, gr_of_f16, gr_any, 8, 16, 16, 16, 1)
GR_MFMA_FLOAT(f32_32x32x2bf16, gr_of_bf16, gr_any, 4, 128, 32, 2, 2)
GR_MFMA_FLOAT(f32_16x16x2bf16, gr_of_bf16, gr_any, 4, 64, 16, 2, 4)
GR_MFMA_FLOAT(f32_4x4x2bf16, gr_of_bf16, gr_any, 4, 16, 4, 2, 16)
GR_MFMA_FLOAT(f32_32x32x4bf16, gr_of_bf16, gr_any, 4, 64, 32, 4, 1)
GR_MFMA_FLOAT(f32_16x16x8bf16, gr_of_bf16, gr_any, 4, 16, 16, 8, 1)
GR_MFMA_INT(i32_32x32x4i8, int, 4, 128, 32, 4, 2)
GR_MFMA_INT(i32_16x16x4i8, int, 4, 64, 16, 4, 4)
GR_MFMA_INT(i32_4x4x4i8, int, 4, 16, 4, 4, 16)
#if GRADUS_GFX <= 0x90a
GR_MFMA_INT(i32_32x32x8i8, int, 4, 64, 32, 8, 1)
GR_MFMA_INT(i32_16x16x16i8, int, 4, 16, 16, 16, 1)
#endif
#endif
#if __GFX9__ && GRADUS_GFX >= 0x90a
GR_MFMA_FLOAT(f32_32x32x4bf16_1k, gr_of_bf16, gr_any, 8, 128, 32, 4, 2)
GR_MFMA_FLOAT(f32_16x16x4bf16_1k, gr_of_bf16, gr_any, 8, 64, 16, 4, 4)
GR_MFMA_FLOAT(f32_4x4x4bf16_1k, gr_of_bf16, gr_any, 8, 16, 4, 4, 16)
GR_MFMA_FLOAT(f32_32x32x8bf16_1k, gr_of_bf16, gr_any, 8, 64, 32, 8, 1)
GR_MFMA_FLOAT(f32_16x16x16bf16_1k, gr_of_bf16, gr_any, 8, 16, 16, 16, 1)
// The last argument negates operands of doubles: bit 0 is A's, bit 1 B's, bit 2 C's.
template <class gr_type_c>
GR_PLACED static gr_type_c __builtin_amdgcn_mfma_f64_16x16x4f64(double a, double b, gr_type_c c,
                                                                int, int, int negated)
{
    gr_registers r = {};
    if (negated & 4)
        c = -c;
    return gr_matrix<gr_mfma_f64<16, 4, 1>, gr_of_f64, gr_of_f64, gr_of_f64, 8, 32>(
        negated & 1 ? -a : a, negated & 2 ? -b : b, c, r, GR_SITE);
}
GR_PLACED static double __builtin_amdgcn_mfma_f64_4x4x4f64(double a, double b, double c, int, int,
                                                           int negated)
{
    gr_registers r = {};
    return gr_matrix<gr_mfma_f64<4, 4, 4>, gr_of_f64, gr_of_f64, gr_of_f64, 8, 8>(
        negated & 1 ? -a : a, negated & 2 ? -b : b, negated & 4 ? -c : c, r, GR_SITE);
}
#endif
#if __GFX9__ && GRADUS_GFX >= 0x942
GR_MFMA_INT(i32_32x32x16_i8, long, 8, 64, 32, 16, 1)
GR_MFMA_INT(i32_16x16x32_i8, long, 8, 16, 16, 32, 1)
GR_MFMA_FP8(fp8_fp8, gr_of_fp8, gr_of_fp8)
GR_MFMA_FP8(fp8_bf8, gr_of_fp8, gr_of_bf8)
GR_MFMA_FP8(bf8_fp8, gr_of_bf8, gr_of_fp8)
GR_MFMA_FP8(bf8_bf8, gr_of_bf8, gr_of_bf8)
#if GRADUS_GFX == 0x942
GR_MFMA_FLOAT(f32_32x32x4_xf32, gr_of_xf32, gr_any, 8, 64, 32, 4, 1)
GR_MFMA_FLOAT(f32_16x16x8_xf32, gr_of_xf32, gr_any, 8, 16, 16, 8, 1)
#endif
#endif
#if __GFX9__ && GRADUS_GFX == 0x950
GR_MFMA_FLOAT(f32_32x32x16_f16, gr_of_f16, gr_any, 16, 64, 32, 16, 1)
GR_MFMA_FLOAT(f32_16x16x32_f16, gr_of_f16, gr_any, 16, 16, 16, 32, 1)
GR_MFMA_FLOAT(f32_32x32x16_bf16, gr_of_bf16, gr_any, 16, 64, 32, 16, 1)
GR_MFMA_FLOAT(f32_16x16x32_bf16, gr_of_bf16, gr_any, 16, 16, 16, 32, 1)
GR_MFMA_INT(i32_32x32x32_i8, gr_any, 16, 64, 32, 32, 1)
GR_MFMA_INT(i32_16x16x64_i8, gr_any, 16, 16, 16, 64, 1)
#endif

// `c_bytes` is that of waves of 32; waves of 64 have half of it in a lane.
#define GR_WMMA_WAVE(name, of_a, of_b, of_c, type, bytes, bytes_c, ...)                            \
    template <class gr_type_c, class gr_any = int>                                                 \
    GR_PLACED static gr_type_c name(type a, type b, gr_type_c c)                                   \
    {                                                                                              \
        gr_registers r = {};                                                                       \
        return gr_matrix<__VA_ARGS__, of_a, of_b, of_c, bytes, bytes_c>(a, b, c, r, GR_SITE);      \
    }
#define GR_WMMA_UPPER(name, of, bytes_c)                                                           \
    template <class gr_type_c, class gr_any>                                                       \
    GR_PLACED static gr_type_c name(gr_any a, gr_any b, gr_type_c c, bool upper)                   \
    {                                                                                              \
        gr_registers r = {};                                                                       \
        r.c_flag = upper;                                                                          \
        return gr_matrix<gr_wmma<2>, of, of, of, 32, bytes_c>(a, b, c, r, GR_SITE);                \
    }
#define GR_WMMA_INT(name, of, type, bytes, bytes_c, ...)                                           \
    template <class gr_type_c, class gr_any = int>                                                 \
    GR_PLACED static gr_type_c name(bool a_signed, type a, bool b_signed, type b, gr_type_c c,     \
                                    bool clamped)                                                  \
    {                                                                                              \
        gr_registers r = {};                                                                       \
        r.a_flag = a_signed;                                                                       \
        r.b_flag = b_signed;                                                                       \
        r.c_flag = clamped;                                                                        \
        return gr_matrix<__VA_ARGS__, of, of, gr_of_i32, bytes, bytes_c>(a, b, c, r, GR_SITE);     \
    }

#if __GFX11__ && GRADUS_WARP_SIZE == 32
#define GR_W(name) __builtin_amdgcn_wmma_##name##_w32
#define GR_PER_LANE(bytes) (bytes)
#elif __GFX11__
#define GR_W(name) __builtin_amdgcn_wmma_##name##_w64
#define GR_PER_LANE(bytes) ((bytes) / 2)
#elif GRADUS_WARP_SIZE == 32
#define GR_W(name) __builtin_amdgcn_wmma_##name##_w32_gfx12
#define GR_PER_LANE(bytes) (bytes)
#else
#define GR_W(name) __builtin_amdgcn_wmma_##name##_w64_gfx12
#define GR_PER_LANE(bytes) ((bytes) / 2)
#endif

#if __GFX11__
GR_WMMA_WAVE(GR_W(f32_16x16x16_f16), gr_of_f16, gr_of_f16, gr_of_f32, gr_any, 32, GR_PER_LANE(32),
             gr_wmma<1>)
GR_WMMA_WAVE(GR_W(f32_16x16x16_bf16), gr_of_bf16, gr_of_bf16, gr_of_f32, gr_any, 32,
             GR_PER_LANE(32), gr_wmma<1>)
GR_WMMA_UPPER(GR_W(f16_16x16x16_f16), gr_of_f16, GR_PER_LANE(32))
GR_WMMA_UPPER(GR_W(bf16_16x16x16_bf16), gr_of_bf16, GR_PER_LANE(32))
GR_WMMA_UPPER(GR_W(f16_16x16x16_f16_tied), gr_of_f16, GR_PER_LANE(32))
GR_WMMA_UPPER(GR_W(bf16_16x16x16_bf16_tied), gr_of_bf16, GR_PER_LANE(32))
GR_WMMA_INT(GR_W(i32_16x16x16_iu8), gr_of_i8, gr_any, 16, GR_PER_LANE(32), gr_wmma<1>)
GR_WMMA_INT(GR_W(i32_16x16x16_iu4), gr_of_i4, gr_any, 8, GR_PER_LANE(32), gr_wmma<1>)
#endif
#if __GFX12__
#define GR_WMMA_FP8(kinds, of_a, of_b)                                                             \
    GR_WMMA_WAVE(GR_W(f32_16x16x16_##kinds), of_a, of_b, gr_of_f32, gr_any, GR_PER_LANE(8),        \
                 GR_PER_LANE(32), gr_wmma12<16, 8>)
GR_WMMA_WAVE(GR_W(f32_16x16x16_f16), gr_of_f16, gr_of_f16, gr_of_f32, gr_any, GR_PER_LANE(16),
             GR_PER_LANE(32), gr_wmma12<16, 16>)
GR_WMMA_WAVE(GR_W(f32_16x16x16_bf16), gr_of_bf16, gr_of_bf16, gr_of_f32, gr_any, GR_PER_LANE(16),
             GR_PER_LANE(32), gr_wmma12<16, 16>)
GR_WMMA_WAVE(GR_W(f16_16x16x16_f16), gr_of_f16, gr_of_f16, gr_of_f16, gr_any, GR_PER_LANE(16),
             GR_PER_LANE(16), gr_wmma12<16, 16>)
GR_WMMA_WAVE(GR_W(bf16_16x16x16_bf16), gr_of_bf16, gr_of_bf16, gr_of_bf16, gr_any, GR_PER_LANE(16),
             GR_PER_LANE(16), gr_wmma12<16, 16>)
GR_WMMA_FP8(fp8_fp8, gr_of_fp8, gr_of_fp8)
GR_WMMA_FP8(fp8_bf8, gr_of_fp8, gr_of_bf8)
GR_WMMA_FP8(bf8_fp8, gr_of_bf8, gr_of_fp8)
GR_WMMA_FP8(bf8_bf8, gr_of_bf8, gr_of_bf8)
GR_WMMA_INT(GR_W(i32_16x16x16_iu8), gr_of_i8, gr_any, GR_PER_LANE(8), GR_PER_LANE(32),
            gr_wmma12<16, 8>)
GR_WMMA_INT(GR_W(i32_16x16x16_iu4), gr_of_i4, gr_any, 4, GR_PER_LANE(32), gr_wmma12<16, 4>)
GR_WMMA_INT(GR_W(i32_16x16x32_iu4), gr_of_i4, gr_any, GR_PER_LANE(8), GR_PER_LANE(32),
            gr_wmma12<32, 4>)
#undef GR_WMMA_FP8
#endif

#undef GR_MFMA
#undef GR_MFMA_FLOAT
#undef GR_MFMA_INT
#undef GR_MFMA_FP8
#undef GR_WMMA_WAVE
#undef GR_WMMA_UPPER
#undef GR_WMMA_INT
#undef GR_W
#undef GR_PER_LANE

#endif
#endif
