// shared_pairs.cu: 8-byte accesses of shared memory go in 2 half-warps.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float words[2048];
    const int t = threadIdx.x;
    const float2 *pairs = (const float2 *)words;
    float sum = 0;
    for (int i = t; i < 2048; i += 32)
        words[i] = A[i]; // COUNT store shared requests 64 wavefronts 64 conflicts 0
    __syncthreads();
    const float2 a = pairs[t];        // COUNT load shared requests 1 bytes 8 wavefronts 2 wavefronts_ideal 2 conflicts 0
    const float2 b = pairs[2 * t];    // COUNT load shared requests 1 bytes 8 wavefronts 4 conflicts 2
    const float2 c = pairs[4 * t];    // COUNT load shared requests 1 bytes 8 wavefronts 8 conflicts 6
    const float2 d = pairs[16 * t];   // COUNT load shared requests 1 bytes 8 wavefronts 32 conflicts 30
    const float2 e = pairs[17 * t];   // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    const float2 f = pairs[700 - t];  // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    sum = a.x + b.x + c.x + d.x + e.x + f.x;
    sum += a.y + b.y + c.y + d.y + e.y + f.y;
    C[t] = sum;
}
