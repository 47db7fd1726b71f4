// ptx_beside.h: inline PTX that kernels include. SPDX-License-Identifier: MIT
#define LOAD(to, from) asm volatile("ld.global.f32 %0, [%1];" : "=f"(to) : "l"(from))

static inline __device__ unsigned of_lane()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
