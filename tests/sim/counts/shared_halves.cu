// shared_halves.cu: two halves share a word: one wavefront.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     1
//@ block    32
//! size 64
#include <cuda_fp16.h>

__global__ void patterns(int M, int N, int K, const __half *A, const __half *B, float *C)
{
    __shared__ __half words[2048];
    const int t = threadIdx.x;
    for (int i = t; i < 2048; i += 32)
        words[i] = A[i]; // COUNT store shared requests 64 bytes 2 wavefronts 64 conflicts 0
    __syncthreads();
    float sum = 0;
    sum += __half2float(words[t]);      // COUNT load shared requests 1 bytes 2 wavefronts 1 conflicts 0
    sum += __half2float(words[2 * t]);  // COUNT load shared requests 1 bytes 2 wavefronts 1 conflicts 0
    sum += __half2float(words[4 * t]);  // COUNT load shared requests 1 bytes 2 wavefronts 2 conflicts 1
    sum += __half2float(words[64 * t]); // COUNT load shared requests 1 bytes 2 wavefronts 32 conflicts 31
    C[t] = sum;
}
