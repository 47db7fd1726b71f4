// amd_lds_wave32.cu: the LDS of a GPU with waves of 32 lanes (gfx1100): 32 banks serve a wave at once if an access has 4
// bytes, 16 neighbouring lanes if it has 8, 8 if it has 16. SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 4096x4x4
//! options --gpu rx7900xtx
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float words[1024];
    __shared__ double doubles[544];
    __shared__ float4 fours[64];
    const int t = threadIdx.x, apart = t % 4 + 4 * (t / 16) + 8 * (t / 4);
    for (int i = t; i < 1024; i += 32)
        words[i] = A[i]; // COUNT store shared requests 32 bytes 4 wavefronts 32 wavefronts_ideal 32
    for (int i = t; i < 544; i += 32)
        doubles[i] = A[i]; // COUNT store shared requests 17 bytes 8 wavefronts 34 conflicts 0
    fours[t] = make_float4(A[t], 1, 2, 3);      // COUNT store shared requests 1 bytes 16 wavefronts 4 conflicts 0
    fours[t + 32] = make_float4(A[t], 1, 2, 3); // COUNT store shared requests 1 bytes 16 wavefronts 4 conflicts 0
    __syncthreads();
    double sum = 0;
    sum += words[t];        // COUNT load shared requests 1 bytes 4 wavefronts 1 conflicts 0
    sum += words[2 * t];    // COUNT load shared requests 1 wavefronts 2 conflicts 1
    sum += words[32 * t];   // COUNT load shared requests 1 wavefronts 32 conflicts 31
    sum += words[7];        // COUNT load shared requests 1 wavefronts 1 conflicts 0
    sum += doubles[t];      // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    sum += doubles[16 * t]; // COUNT load shared requests 1 bytes 8 wavefronts 32 conflicts 30
    sum += doubles[17 * t]; // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    float4 v = fours[t];    // COUNT load shared requests 1 bytes 16 wavefronts 4 conflicts 0
    sum += v.x + v.y + v.z + v.w;
    v = fours[apart];       // COUNT load shared requests 1 bytes 16 wavefronts 8 conflicts 4
    C[t] = (float)sum + v.x + v.y + v.z + v.w;
}
