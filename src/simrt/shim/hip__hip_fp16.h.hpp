// hip/hip_fp16.h: HIP's __half, which is CUDA's. SPDX-License-Identifier: MIT
#include <cuda_fp16.h>
