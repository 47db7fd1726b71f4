// warp_copies.cu: asynchronous copies whose addresses the arguments give. SPDX-License-Identifier: MIT
// One warp, one cp.async of each lane, from and to where the arguments say, in units of its size.
#define KERNEL(name, size, op) \
extern "C" __global__ void name(const char *from, float *out, int p, int a, int b, int q, int c, int d, int e, unsigned mask) \
{ \
    extern __shared__ __align__(1024) char tile[]; \
    int lane = threadIdx.x; \
    unsigned to = (unsigned)__cvta_generic_to_shared(tile) + ((lane % q) * c + (lane / q) * d + e) * size; \
    const char *src = from + ((lane % p) * a + (lane / p) * b) * size; \
    if (mask >> lane & 1) asm volatile(op " [%0], [%1], " #size ";" :: "r"(to), "l"(src)); \
    asm volatile("cp.async.wait_all;"); \
    __syncthreads(); \
    out[lane] = ((float *)tile)[lane]; \
}
KERNEL(cg16, 16, "cp.async.cg.shared.global")
KERNEL(ca16, 16, "cp.async.ca.shared.global")
KERNEL(ca8, 8, "cp.async.ca.shared.global")
KERNEL(ca4, 4, "cp.async.ca.shared.global")
