// cuda_fp16.h: __half, which is IEEE 754's binary16. SPDX-License-Identifier: MIT
#ifndef GR_CUDA_FP16_H
#define GR_CUDA_FP16_H

#include "gr_narrow.h"

#define GR_NAMED(before, after) before##half##after
#define GR_NUMBER_TO_PAIR __half2half2
#define GR_ONE __half
#define GR_TWO __half2
#define GR_RAW __half_raw
#define GR_RAW2 __half2_raw
#define GR_VALUE(code) gr_half_value(code)
#define GR_CODE(x) gr_half_code(x)
#define GR_EXPONENT 5
#define GR_MANTISSA 10
#include "gr_number16.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)1)

#endif
