// amd_lds.cu: the LDS of a GPU with waves of 64 lanes (gfx90a): 32 banks serve 32 lanes at a time if an access has 4 bytes,
// 16 neighbouring lanes if it has 8. Of 16 bytes, loads are served for lanes 0 to 3 with 20 to 23, 4 to 7 with 16 to 19, 8 to
// 11 with 28 to 31, 12 to 15 with 24 to 27, and so on; stores for 8 neighbouring lanes. A word that many lanes want is free.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    64
//! size 4096x4x4
//! options --gpu mi210
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float words[2048];
    __shared__ double doubles[1088];
    __shared__ float4 fours[128];
    const int t = threadIdx.x, apart = t % 4 + 4 * (t / 16 % 2) + 8 * (t / 4);
    for (int i = t; i < 2048; i += 64)
        words[i] = A[i]; // COUNT store shared requests 32 bytes 4 wavefronts 64 wavefronts_ideal 64
    for (int i = t; i < 1088; i += 64)
        doubles[i] = A[i]; // COUNT store shared requests 17 bytes 8 wavefronts 68 conflicts 0
    fours[t] = make_float4(A[t], 1, 2, 3);       // COUNT store shared requests 1 bytes 16 wavefronts 8 conflicts 0
    fours[t + 64] = make_float4(A[t], 1, 2, 3);  // COUNT store shared requests 1 bytes 16 wavefronts 8 conflicts 0
    __syncthreads();
    double sum = 0;
    sum += words[t];         // COUNT load shared requests 1 bytes 4 wavefronts 2 conflicts 0
    sum += words[2 * t];     // COUNT load shared requests 1 wavefronts 4 conflicts 2
    sum += words[32 * t];    // COUNT load shared requests 1 wavefronts 64 conflicts 62
    sum += words[33 * (t % 62)]; // COUNT load shared requests 1 wavefronts 3 conflicts 1
    sum += words[7];         // COUNT load shared requests 1 wavefronts 2 conflicts 0
    sum += words[t / 32];    // COUNT load shared requests 1 wavefronts 2 conflicts 0
    sum += doubles[t];       // COUNT load shared requests 1 bytes 8 wavefronts 4 conflicts 0
    sum += doubles[16 * t];  // COUNT load shared requests 1 bytes 8 wavefronts 64 conflicts 60
    sum += doubles[17 * t];  // COUNT load shared requests 1 bytes 8 wavefronts 4 conflicts 0
    sum += doubles[t / 16];  // COUNT load shared requests 1 bytes 8 wavefronts 4 conflicts 0
    float4 v = fours[t];     // COUNT load shared requests 1 bytes 16 wavefronts 8 conflicts 0
    sum += v.x + v.y + v.z + v.w;
    v = fours[apart];        // COUNT load shared requests 1 bytes 16 wavefronts 8 conflicts 0
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
    fours[apart] = v;        // COUNT store shared requests 1 bytes 16 wavefronts 16 conflicts 8
    __syncthreads();
    v = fours[2 * t];        // COUNT load shared requests 1 bytes 16 wavefronts 16 conflicts 8
    C[t] = (float)sum + v.x + v.y + v.z + v.w;
}
