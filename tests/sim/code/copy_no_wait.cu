// copy_no_wait.cu: tiles are copied asynchronously, and a barrier alone does not wait for the copies: what they write is read, and
// copied again.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//@ require  M % 16 == 0 && N % 16 == 0 && K % 16 == 0
//! size 32x48x32
__device__ inline void copy(float *to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)); // FAULT race As; FAULT race Bs; WITH race As; WITH race Bs
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        copy(&As[ty][tx], &A[row * K + k0 + tx]);
        copy(&Bs[ty][tx], &B[(k0 + ty) * N + col]);
        asm volatile("cp.async.commit_group;");
        if (FIXED)
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k][tx]; // FAULT race As; FAULT race Bs
        __syncthreads();
    }
    C[row * N + col] = sum;
}
