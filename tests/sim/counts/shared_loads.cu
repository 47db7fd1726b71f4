// shared_loads.cu: 32 banks of 4 bytes; the same word is a broadcast.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float words[2048];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < 2048; i += 32)
        words[i] = A[i]; // COUNT store shared requests 64 wavefronts 64 conflicts 0
    __syncthreads();
    sum += words[t];            // COUNT load shared requests 1 wavefronts 1 wavefronts_ideal 1 conflicts 0
    sum += words[2 * t];        // COUNT load shared requests 1 wavefronts 2 conflicts 1
    sum += words[3 * t];        // COUNT load shared requests 1 wavefronts 1 conflicts 0
    sum += words[4 * t];        // COUNT load shared requests 1 wavefronts 4 conflicts 3
    sum += words[8 * t];        // COUNT load shared requests 1 wavefronts 8 conflicts 7
    sum += words[12 * t];       // COUNT load shared requests 1 wavefronts 4 conflicts 3
    sum += words[16 * t];       // COUNT load shared requests 1 wavefronts 16 conflicts 15
    sum += words[32 * t];       // COUNT load shared requests 1 wavefronts 32 conflicts 31
    sum += words[33 * t];       // COUNT load shared requests 1 wavefronts 1 conflicts 0
    sum += words[1500];         // COUNT load shared requests 1 wavefronts 1 conflicts 0
    sum += words[t / 2 + 1600]; // COUNT load shared requests 1 wavefronts 1 conflicts 0
    sum += words[t % 2 * 32];   // COUNT load shared requests 1 wavefronts 2 conflicts 1
    sum += words[t % 4 * 64];   // COUNT load shared requests 1 wavefronts 4 conflicts 3
    sum += words[t / 8 * 32];   // COUNT load shared requests 1 wavefronts 4 conflicts 3
    sum += words[1777 - t];     // COUNT load shared requests 1 wavefronts 1 conflicts 0
    if (t < 8)
        sum += words[32 * t + 7]; // COUNT load shared requests 1 lanes 8 wavefronts 8 conflicts 7
    if (t % 8 == 3)
        sum += words[4 * t + 5]; // COUNT load shared requests 1 lanes 4 wavefronts 4 conflicts 3
    C[t] = sum;
}
