// mma.h: tensor cores by warps. They are not modelled: a kernel that comes here ends with a word on it.
// SPDX-License-Identifier: MIT
#ifndef GR_MMA_H
#define GR_MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#endif
