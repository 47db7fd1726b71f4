// copied_once.cu: a copy that is inlined through several functions of a header is at the line of the kernel that calls the first.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
#include <cuda_pipeline.h>

__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(128) float tile[128];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &A[4 * t], 16); // COUNT copy global requests 1 lanes 32 sectors 16
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    C[t] = tile[t * 33 % 128] + B[t]; // COUNT load global requests 1 lanes 32 sectors 4
}
