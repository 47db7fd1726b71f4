// shared_halves_by_value.cu: halves that functions of the toolkit's headers take by value are loaded at the kernel's lines.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     1
//@ block    32
//! size 64
#include <cuda_fp16.h>

__global__ void patterns(int M, int N, int K, const __half *A, const __half *B, float *C)
{
    __shared__ __half s[64];
    const int t = threadIdx.x;
    s[t] = A[t];      // COUNT store shared requests 1 bytes 2 conflicts 0
    s[t + 32] = B[t]; // COUNT load global requests 1 bytes 2 sectors 2
    __syncthreads();
    __half sum = __hmul(s[t], s[63 - t]); // COUNT load shared requests 2 bytes 2 conflicts 0
    sum = __hfma(s[t ^ 1],                // the first operand
                 A[t + 32], sum);
    sum += s[t ^ 2];         // COUNT load shared requests 1 bytes 2
    s[t] = __hadd(sum, sum); // COUNT store shared requests 1 bytes 2 conflicts 0
    const __half2 pair = __halves2half2(A[64 + t], // the first of two
                                        A[96 + t]);
    sum = sum + A[128 + t]; // COUNT load global requests 1 bytes 2
    const __half2 *pairs = (const __half2 *)B;
    const float2 two = __half22float2(pairs[t]); // COUNT load global requests 1 bytes 4
    const float low = __half2float(sum) + __low2float(pair);
    C[t] = low + two.x + two.y; // COUNT store global requests 1 bytes 4
}
