// wide_warps.cu: a HIP kernel on a GPU whose warps have 64 lanes: one request of all of them, and a sector
// is a cache line of 64 bytes; shared memory has 32 banks all the same, so 64 lanes that want 64 words next to each other take two passes, which is the best there is.
// SPDX-License-Identifier: MIT
#include <hip/hip_runtime.h>
//@ grid     1
//@ block    128
//! size 128
//! options --gpu mi210
__global__ void wide(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float row[64 * 33];
    const int t = hipThreadIdx_x;
    float sum = 0;
    sum += A[t];         // COUNT load global requests 2 lanes 128 sectors 8
    sum += A[2 * t];     // COUNT load global requests 2 sectors 16
    sum += B[t / 64];    // COUNT load global requests 2 sectors 2
    row[t] = sum;        // COUNT store shared requests 2 wavefronts 4 wavefronts_ideal 4
    __syncthreads();
    sum += row[t ^ 1];   // COUNT load shared requests 2 wavefronts 4
    if (warpSize == 64)
        sum += B[t + 64]; // COUNT load global requests 2 sectors 8
    C[t] = sum;          // COUNT store global requests 2 sectors 8
}
