// global_halves.cu: halves: a sector has 16.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     1
//@ block    32
//! size 64
#include <cuda_fp16.h>

__global__ void patterns(int M, int N, int K, const __half *A, const __half *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    sum += __half2float(A[t]);      // COUNT load global requests 1 bytes 2 sectors 2
    sum += __half2float(A[t + 1]);  // COUNT load global requests 1 bytes 2 sectors 3
    sum += __half2float(A[2 * t]);  // COUNT load global requests 1 bytes 2 sectors 4
    sum += __half2float(B[16 * t]); // COUNT load global requests 1 bytes 2 sectors 32
    C[t] = sum;                     // COUNT store global requests 1 bytes 4 sectors 4
}
