// 002_cache_blocking.cu: worklog 002, kernel 3, with As, Bs and BLOCKSIZE declared. Its fault: the loop steps by BK = 8 while A
// moves by BM = 32 columns and B by 32 rows, past the end of both.
// SPDX-License-Identifier: MIT
// with grid cdiv(N,32), cdiv(M,32)
// with block 32*32
// with require M%32==0 && N%32==0 && K%32==0
//! size 64
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) ((M) + (N)-1) / (N)
#define BLOCKSIZE 32

__global__ void sgemmCacheBlocking(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const int BM = 32;
    const int BN = 32;
    const int BK = 8;
    __shared__ float As[BLOCKSIZE * BLOCKSIZE], Bs[BLOCKSIZE * BLOCKSIZE];
    const uint cRow = blockIdx.y;
    const uint cCol = blockIdx.x;
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;
    const int threadCol = threadIdx.x % BN;
    const int threadRow = threadIdx.x / BN;
    float tmp = 0.0;
    for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
        As[threadRow * BM + threadCol] = A[threadRow * K + threadCol]; // FAULT bounds A
        Bs[threadRow * BN + threadCol] = B[threadRow * N + threadCol]; // FAULT bounds B
        __syncthreads();
        A += BM;
        B += BN * N;
        for (int dotIdx = 0; dotIdx < BK; ++dotIdx)
            tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol];
        __syncthreads();
    }
    C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol]; // ADVISE reads-c-at-beta-0 C
}
