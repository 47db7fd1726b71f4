// shared_halves_constructed.cu: shared arrays of classes that have constructors: nothing runs at their declarations.
// SPDX-License-Identifier: MIT
//@ type     A=f16 B=f16 C=f32 ACC=f32
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! size 64
//! run 33x47x29
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct counted {
    float value;
    __device__ counted()
    {
    }
    __device__ counted(float x) : value(x)
    {
    }
};
__shared__ counted of_the_file[16];

template <int SIDE>
__device__ void load(__half to[SIDE][SIDE], const __half *from, int rows, int cols, int ld, int row,
                     int col)
{
    const bool inside = row < rows && col < cols;
    to[threadIdx.y][threadIdx.x] = inside ? from[(size_t)row * ld + col] : __half(0.0f);
}

__global__ void gemm(int M, int N, int K, float alpha, const __half *A, int lda, const __half *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ __half a[16][16], b[16][16];
    __shared__ __half2 pairs[16];
    __shared__ __nv_bfloat16 ones[16];
    __shared__ counted one;
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    if (y == 0) {
        pairs[x] = __half2(__half(0.0f), __half(1.0f));
        ones[x] = __float2bfloat16(1.0f);
        of_the_file[x] = counted(1.0f);
    }
    if (x == 0 && y == 0)
        one = counted(1.0f);
    float sum = 0;
    for (int k = 0; k < K; k += 16) {
        load<16>(a, A, M, K, lda, row, k + x);
        load<16>(b, B, K, N, ldb, k + y, col);
        __syncthreads();
        for (int p = 0; p < 16; p++)
            sum += __half2float(a[y][p]) * __half2float(b[p][x]);
        __syncthreads();
    }
    sum *= __bfloat162float(ones[y]) * one.value * of_the_file[x].value;
    sum = sum * __high2float(pairs[x]) + __low2float(pairs[x]);
    if (row >= M || col >= N)
        return;
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}
