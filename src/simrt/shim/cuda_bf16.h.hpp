// cuda_bf16.h: __nv_bfloat16, whose codes are the upper 16 bits of a float.
// SPDX-License-Identifier: MIT
#ifndef GR_CUDA_BF16_H
#define GR_CUDA_BF16_H

#include "gr_narrow.h"

#define GR_NAMED(before, after) before##bfloat16##after
#define GR_NUMBER_TO_PAIR __bfloat162bfloat162
#define GR_ONE __nv_bfloat16
#define GR_TWO __nv_bfloat162
#define GR_RAW __nv_bfloat16_raw
#define GR_RAW2 __nv_bfloat162_raw
#define GR_VALUE(code) gr_bfloat16_value(code)
#define GR_CODE(x) gr_bfloat16_code(x)
#define GR_EXPONENT 8
#define GR_MANTISSA 7
#include "gr_number16.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#endif
