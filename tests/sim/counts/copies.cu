// copies.cu: 16-byte copies pass L1 by: a sector that belongs to two lines of shared memory is asked for twice.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
#include <cuda_pipeline.h>

__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(128) float tile[1024];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &A[4 * t], 16);           // COUNT copy global requests 1 lanes 32 sectors 16
    __pipeline_memcpy_async(&tile[260 + 4 * t], &A[512 + 4 * t], 16); // COUNT copy global requests 1 lanes 32 sectors 20
    __pipeline_memcpy_async(&tile[512 + 4 * t], &A[4 + 4 * t], 16); // COUNT copy global requests 1 lanes 32 sectors 20
    __pipeline_memcpy_async(&tile[772 + 4 * t], &B[4 + 4 * t], 16); // COUNT copy global requests 1 lanes 32 sectors 17
    __pipeline_memcpy_async(&tile[200 + t], &B[1025 + t], 4);       // COUNT copy global requests 1 lanes 32 sectors 5
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    C[t] = tile[t] + tile[t + 260] + tile[t + 512] + tile[t + 772] + tile[t + 200];
}
