// sim_shared_both.cu: declared and dynamic shared memory that each fit, and not together.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//@ smem     SMEM_MAX-4096
//! exit 1
//! says bytes of shared memory .8192 static, 228352 dynamic., NVIDIA H200 gives a block at most 232448
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float sums[2][1024];
    extern __shared__ float more[];
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float *sum = &sums[K % 2][threadIdx.y * 32 + threadIdx.x];
    *sum = 0;
    for (int k = 0; k < K && row < M && col < N; k++) {
        more[threadIdx.y * 32 + threadIdx.x] = A[row * K + k];
        *sum += more[threadIdx.y * 32 + threadIdx.x] * B[k * N + col];
    }
    if (row < M && col < N)
        C[row * N + col] = *sum;
}
