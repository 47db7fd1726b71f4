// hip/hip_cooperative_groups.h: the same. SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
