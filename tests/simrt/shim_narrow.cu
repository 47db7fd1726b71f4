// shim_narrow.cu: half, bfloat16 and 8-bit numbers: every code, and every operation rounded once.
// SPDX-License-Identifier: MIT
#define T half
#define N 64
#include "one_block.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static unsigned state = 1;
static unsigned next()
{
    state = state * 1664525u + 1013904223u;
    return state >> 16 ^ state << 13;
}

// The nearest code, found among all of them.
template <class type> static bool is_nearest(double x, type found, type lower, type upper)
{
    const double f = (float)found, l = (float)lower, u = (float)upper;
    return fabs(x - f) <= fabs(x - l) && fabs(x - f) <= fabs(x - u);
}

static void codes()
{
    for (unsigned c = 0; c < 65536; c++) {
        const half h = __ushort_as_half((unsigned short)c);
        const float x = __half2float(h);
        CHECK(x != x || __half_as_ushort(__float2half(x)) == c);
        const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)c);
        const float y = __bfloat162float(b);
        CHECK(y != y || __bfloat16_as_ushort(__float2bfloat16_rn(y)) == c);
        CHECK(y != y || __bfloat16_as_ushort(__double2bfloat16(y)) == c);
        CHECK(gr_half_value((unsigned short)c) == gr_widen<5, 10>(c) || x != x);
    }
    for (unsigned c = 0; c < 256; c++) {
        __nv_fp8_e4m3 e;
        e.__x = (unsigned char)c;
        CHECK((c & 0x7f) == 0x7f || __nv_fp8_e4m3((float)e).__x == c);
        __nv_fp8_e5m2 f;
        f.__x = (unsigned char)c;
        CHECK((c & 0x7f) >= 0x7c || __nv_fp8_e5m2((float)f).__x == c);
    }
    CHECK((float)__nv_fp8_e4m3(448.0f) == 448 && (float)__nv_fp8_e4m3(1000.0f) == 448 && (float)__nv_fp8_e4m3(0.015625f) == 0.015625f);
    CHECK((float)__float2half(65520.0f) == INFINITY && (float)__float2half(65519.0f) == 65504 && (float)half(5.9e-8) == ldexpf(1, -24));
    CHECK(__half_as_ushort(__float2half_rz(65530.0f)) == 0x7bff && (float)__float2half_ru(1.0001f) > 1 && (float)__float2half_rd(1.0009f) == 1);
    CHECK((float)__float2half_rd(-1.0001f) < -1 && (float)__float2half_rz(-1.0009f) == -1 && (float)__float2half_ru(1e-9f) == ldexpf(1, -24));
}

static void operations()
{
    for (int i = 0; i < 200000; i++) {
        const half a = __ushort_as_half((unsigned short)(next() % 0x7c00 | (next() & 0x8000)));
        const half b = __ushort_as_half((unsigned short)(next() % 0x7c00 | (next() & 0x8000)));
        const half c = __ushort_as_half((unsigned short)(next() % 0x7c00 | (next() & 0x8000)));
        const half sum = __hfma(a, b, c);
        const double exact = (double)(float)a * (float)b + (double)(float)c;
#ifdef __FLT16_MAX__ // the compiler's own
        _Float16 x, y;
        memcpy(&x, &a, 2);
        memcpy(&y, &b, 2);
        const _Float16 s = x + y, p = x * y;
        const half hs = a + b, hp = a * b;
        CHECK(memcmp(&s, &hs, 2) == 0 && memcmp(&p, &hp, 2) == 0);
#endif
        const unsigned code = __half_as_ushort(sum);
        if ((code & 0x7fff) < 0x7bff && (code & 0x7fff) > 0)
            CHECK(is_nearest(exact, sum, __ushort_as_half((unsigned short)(code - 1)), __ushort_as_half((unsigned short)(code + 1))));
    }
}

static half numbers[64];
static half2 pairs[32];
static __nv_bfloat16 bfloats[64];
static float results[64];
static void use()
{
    const int i = threadIdx.x;
    half h = 3, zero = {};
    h += half(0.5f);
    h++;
    const half k = static_cast<half>(2.0);
    CHECK((float)h == 4.5f && h > k && !(h < k) && h != k && -k == half(-2) && zero == half(0) && (int)h == 4 && bool(h));
    CHECK((float)(h * k - h / k) == 6.75f && __hgt(h, k) && __heq(k, k) && (float)__hmax(h, k) == 4.5f && (float)__habs(half(-1)) == 1);
    CHECK(__half2int_rn(half(2.5f)) == 2 && (float)__int2half_rn(2049) == 2048 && __hisnan(__ushort_as_half(0x7fff)) && (float)hsqrt(half(16)) == 4);
    half2 p = __floats2half2_rn(1, 2), q = __half2half2(k);
    p = __hfma2(p, q, __halves2half2(h, h));
    p += q;
    CHECK(__half22float2(p).x == 8.5f && __high2float(p) == 10.5f && (float)__low2half(p) == 8.5f && __hbgt2(p, q) && (float)__lowhigh2highlow(p).x == 10.5f);
    CHECK((float)(p * q).y == 21 && (float)__hadd2(p, q).x == 10.5f && (float)make_half2(h, k).y == 2);
    __nv_bfloat16 b = __float2bfloat16(1.5f);
    b = b * b + __nv_bfloat16(1);
    CHECK((float)b == 3.25f && __bfloat162float(__hfma(b, b, b)) == 13.8125f && (float)__hneg(b) == -3.25f);
    const __nv_bfloat162 bb = __floats2bfloat162_rn(1, 2);
    CHECK(__bfloat1622float2(__hmul2(bb, bb)).y == 4 && __low2float(bb) == 1 && (float)__high2bfloat16(bb) == 2);
    results[i] = __half2float(numbers[i]);       // 2 bytes read, 4 written
    results[i] += (float)numbers[i + 32];        // the same, and 4 read
    numbers[i] = h;                              // 2 written
    numbers[i] += k;                             // 2 read, 2 written
    pairs[i] = __hadd2(pairs[i], p);             // 4 read, 4 written
    bfloats[i] = __float2bfloat16(results[i]);   // 4 read, 2 written
    *(float4 *)&numbers[8 * (i % 4)] = *(const float4 *)&bfloats[8 * (i % 8)]; // 16 and 16
}

int main()
{
    const one_block_counts &saw = one_block_saw;
    one_block_run(codes, 1, 1, 1, 1);
    one_block_run(operations, 1, 1, 1, 1);
    one_block_run(use, 1, 32, 1, 1);
#ifdef GR_TRACED
    CHECK(saw.reads[1] + saw.loads == 4 * 32 && saw.writes[1] + saw.stores == 4 * 32);
    CHECK(saw.reads[2] == 2 * 32 && saw.writes[2] == 2 * 32 && saw.reads[4] == 32 && saw.writes[4] == 32 && saw.ranges == 0);
#endif
    CHECK(one_block_failure[0] == 0 && (float)numbers[63] == 0 && __low2float(pairs[31]) == 8.5f);
    return one_block_faults != 0;
}
