// type_template.cu: the element type and the tile as template arguments that are parameters of the file.
// SPDX-License-Identifier: MIT
//@ type   f32, f64
//@ param  BS 16 {8,16,32}
//@ kernel gemm<T,BS>
//@ grid   cdiv(N,BS), cdiv(M,BS)
//@ block  BS, BS
//@ smem   2*BS*BS*8
#include <cuda_runtime.h>

template <typename T, int tile>
__global__ void gemm(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta,
                     T *C, int ldc)
{
    extern __shared__ double storage[];
    T *a = (T *)storage, *b = a + tile * tile;
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
    T sum = 0;
    for (int k = 0; k < K; k += tile) {
        a[y * tile + x] = row < M && k + x < K ? A[(size_t)row * lda + k + x] : T(0);
        b[y * tile + x] = col < N && k + y < K ? B[(size_t)(k + y) * ldb + col] : T(0);
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += a[y * tile + i] * b[i * tile + x];
        __syncthreads();
    }
    if (row < M && col < N) {
        T *c = C + (size_t)row * ldc + col;
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}
