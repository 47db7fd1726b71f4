// hip/hip_bfloat16.h: the older name of HIP's bfloat16. SPDX-License-Identifier: MIT
#ifndef GR_HIP_BFLOAT16_H
#define GR_HIP_BFLOAT16_H

#include <hip/hip_bf16.h>

typedef __nv_bfloat16 hip_bfloat16;

#endif
