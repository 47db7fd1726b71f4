// hip/hip_bf16.h: __nv_bfloat16 under HIP's name. SPDX-License-Identifier: MIT
#ifndef GR_HIP_BF16_H
#define GR_HIP_BF16_H

#include <cuda_bf16.h>

typedef __nv_bfloat16 __hip_bfloat16, hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

#endif
