// gr_hip_half.hpp: <hip/hip_fp16.h> for NVRTC. SPDX-License-Identifier: MIT
#ifndef GR_HIP_HALF_HPP
#define GR_HIP_HALF_HPP

#include <cuda_fp16.h>
#include <gr_hip.hpp>

#endif
