// cuda_fp8.h: 8-bit floating-point numbers. There are only conversions, as in hardware.
// SPDX-License-Identifier: MIT
#ifndef GR_CUDA_FP8_H
#define GR_CUDA_FP8_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// e4m3 has no infinity: its largest exponent holds numbers up to 448, and one NaN. All values are
// exact in float.
GR_INLINE float gr_e4m3_value(unsigned code)
{
    const unsigned exponent = code >> 3 & 15, mantissa = code & 7;
    const float sign = code & 0x80 ? -1.0f : 1.0f;
    if ((code & 0x7f) == 0x7f)
        return __builtin_nanf("");
    if (exponent == 0)
        return sign * (float)mantissa * 0.001953125f;
    return sign * gr_bits<float>((exponent + 120) << 23 | mantissa << 20);
}
GR_INLINE unsigned char gr_e4m3_code(float x)
{
    if (x != x)
        return 0x7f;
    const float size = __builtin_fabsf(x);
    const unsigned sign = __builtin_signbit(x) ? 0x80 : 0;
    if (size >= 448)
        return (unsigned char)(sign | 0x7e);
    const float step = size < 0.015625f
                           ? 0.001953125f
                           : gr_bits<float>((gr_bits<unsigned>(size) & 0x7f800000u) - (3u << 23));
    const float rounded = __builtin_rintf(size / step) * step;
    const unsigned bits = gr_bits<unsigned>(rounded);
    if (rounded < 0.015625f)
        return (unsigned char)(sign | (unsigned)(rounded / 0.001953125f));
    return (unsigned char)(sign | (((bits >> 23) - 120) << 3 | (bits >> 20 & 7)));
}
GR_INLINE unsigned char gr_e5m2_code(float x)
{
    const unsigned code = gr_narrow<5, 2>(x);
    return (unsigned char)((code & 0x7f) == 0x7c ? code - 1 : code);
}

#define GR_FP8(name, value, code)                                                                  \
    struct name {                                                                                  \
        __nv_fp8_storage_t __x;                                                                    \
        name() = default;                                                                          \
        template <class gr_number>                                                                 \
        GR_INLINE_MEMBER explicit name(gr_number x) : __x(code((float)x))                          \
        {                                                                                          \
        }                                                                                          \
        GR_TOUCHING operator float() const                                                         \
        {                                                                                          \
            GR_SAW_LOAD(this, sizeof *this);                                                       \
            return value(__x);                                                                     \
        }                                                                                          \
    };
#define GR_E5M2_VALUE(code) (gr_widen<5, 2>(code))
GR_FP8(__nv_fp8_e4m3, gr_e4m3_value, gr_e4m3_code)
GR_FP8(__nv_fp8_e5m2, GR_E5M2_VALUE, gr_e5m2_code)
#undef GR_FP8

GR_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t,
                                                   __nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? gr_e4m3_code(x) : gr_e5m2_code(x);
}
GR_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half_raw{gr_half_code(kind == __NV_E4M3 ? gr_e4m3_value(x) : GR_E5M2_VALUE(x))};
}

#endif
