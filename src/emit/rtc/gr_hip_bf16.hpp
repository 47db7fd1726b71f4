// gr_hip_bf16.hpp: <hip/hip_bf16.h> and <hip/hip_bfloat16.h> for NVRTC.
// SPDX-License-Identifier: MIT
#ifndef GR_HIP_BF16_HPP
#define GR_HIP_BF16_HPP

#include <cuda_bf16.h>
#include <gr_hip.hpp>

typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16 hip_bfloat16;

#endif
