// hip/hip_fp16.h: half is the same. SPDX-License-Identifier: MIT
#include <cuda_fp16.h>
