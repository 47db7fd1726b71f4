// float4_casts.cu: reinterpret_cast to float4 and __launch_bounds__, inside a namespace.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,64), M
// with block 16
// with require N%4==0
//! size 64
//! size 33x48x29
//! size 128x20x7
#include <cuda_runtime.h>
#include <stdio.h>

#define FLOAT4(pointer) (reinterpret_cast<float4 *>(&(pointer))[0])

inline namespace gemm
{
namespace detail
{
__device__ __forceinline__ void add(float4 &sum, float a, const float4 b)
{
    sum.x += a * b.x;
    sum.y += a * b.y;
    sum.z += a * b.z;
    sum.w += a * b.w;
}
} // namespace detail

__global__ void __launch_bounds__(16) rows(float *__restrict__ A, float *__restrict__ B, float *__restrict__ C,
                                           const int M, const int N, const int K)
{
    const int row = blockIdx.y, col = (blockIdx.x * 16 + threadIdx.x) * 4;
    if (col >= N)
        return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < K; k++)
        detail::add(sum, A[row * K + k], FLOAT4(B[k * N + col]));
    FLOAT4(C[row * N + col]) = sum;
}

void launch(float *a, float *b, float *c, int m, int n, int k)
{
    rows<<<dim3((n + 63) / 64, m), 16>>>(a, b, c, m, n, k);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
} // namespace gemm
