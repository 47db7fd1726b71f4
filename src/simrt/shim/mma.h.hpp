// mma.h: warp-level matrix functions (tensor cores). They are not modelled: a kernel that calls one
// ends with a message. SPDX-License-Identifier: MIT
#ifndef GR_MMA_H
#define GR_MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#endif
