// loops.cu: the n-th time a warp comes to an access is a request, whoever of its lanes comes.
// SPDX-License-Identifier: MIT
//@ grid     2
//@ block    64
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    // 2 blocks of 2 warps, 5 times: 20 requests of 4 sectors.
#pragma unroll 1
    for (int k = 0; k < 5; k++)
        sum += A[64 * k + t]; // COUNT load global requests 20 lanes 640 sectors 80
    // Lane t goes round t % 4 + 1 times: 4 requests a warp, of 32, 24, 16 and 8 lanes.
#pragma unroll 1
    for (int k = 0; k <= t % 4; k++)
        sum += B[64 * k]; // COUNT load global requests 16 lanes 320 sectors 16
    C[blockIdx.x * 64 + t] = sum; // COUNT store global requests 4 lanes 128 sectors 16
}
