// namespaces.cu: a template over its elements' type in namespaces, with the type behind the const and defaults behind it.
// SPDX-License-Identifier: MIT
// with kernel tiled::gemm<float>
// with grid cdiv(N,16), cdiv(M,16)
// with block 16, 16
#include <cuda_runtime.h>

namespace library {
inline namespace v2 {
namespace other {
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C) {}
} // namespace other
namespace tiled {
template <typename T, int tile = 16, typename Sum = T>
__global__ void gemm(int M, int N, int K, T const *__restrict__ A, T const *__restrict__ B, T *C,
                     Sum alpha, Sum beta)
{
    __shared__ T a[tile][tile], b[tile][tile];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
    Sum sum = 0;
    for (int k = 0; k < K; k += tile) {
        a[y][x] = row < M && k + x < K ? A[(size_t)row * K + k + x] : T(0);
        b[y][x] = col < N && k + y < K ? B[(size_t)(k + y) * N + col] : T(0);
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < M && col < N) {
        T *c = C + (size_t)row * N + col;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}
} // namespace tiled
} // namespace v2
} // namespace library
