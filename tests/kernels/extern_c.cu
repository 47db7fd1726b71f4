// extern_c.cu: extern "C", __CUDACC__, a kernel behind a macro, columns stored first.
// SPDX-License-Identifier: MIT
//@ type f64
//@ layout A col, B col, C col
//@ grid cdiv(M,32), N
//@ block 32
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#else
#define KERNEL void
#endif
#ifndef __CUDACC__
#error "this file is CUDA"
#endif
#include <cublas_v2.h>

cublasHandle_t handle;

extern "C" __global__ void by_columns(const int M, const int N, const int K, const double *A, const int lda, const double *B,
                                      const int ldb, double *C, const int ldc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i >= M)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[i + (size_t)k * lda] * B[k + (size_t)j * ldb];
    C[i + (size_t)j * ldc] = sum;
}

extern "C" {
static int start(void)
{
    return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS;
}

int start_all(void)
{
    return start();
}
}
