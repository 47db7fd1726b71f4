// sim_shared_declared.cu: 64 KB of declared shared memory: CUDA takes 48, more must be asked for at the launch.
// SPDX-License-Identifier: MIT
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 32
//! exit 1
//! says 65536 bytes of shared memory are declared, CUDA takes at most 49152
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float sums[16][1024];
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float *sum = &sums[K % 16][threadIdx.y * 32 + threadIdx.x];
    *sum = 0;
    for (int k = 0; k < K && row < M && col < N; k++)
        *sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = *sum;
}
