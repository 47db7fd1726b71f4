// hip/hip_cooperative_groups.h: HIP's cooperative groups, which are CUDA's.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
