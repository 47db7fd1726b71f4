// copy_wait_for_older.cu: of two groups of copies in flight the older one is waited for, and the newer one is read.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ require  M % 16 == 0 && N % 16 == 0 && K % 32 == 0
//! size 32x48x64
__device__ inline void copy(float *to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[2][16][16], Bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    copy(&As[0][ty][tx], &A[row * K + tx]);
    copy(&Bs[0][ty][tx], &B[ty * N + col]);
    asm volatile("cp.async.commit_group;");
    for (int k0 = 0; k0 < K; k0 += 16) {
        const int now = k0 / 16 % 2, next = k0 + 16 < K ? k0 + 16 : 0;
        copy(&As[1 - now][ty][tx], &A[row * K + next + tx]);
        copy(&Bs[1 - now][ty][tx], &B[(next + ty) * N + col]);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[FIXED ? now : 1 - now][ty][k] * Bs[now][k][tx]; // FAULT race As
        __syncthreads();
    }
    C[row * N + col] = sum;
}
