// 07_tile2d.cu: each thread keeps a TM x TN block of C in registers.
// SPDX-License-Identifier: MIT
//@ title    2D block tiling
//@ after    06_tile1d
//@ idea     one element of A from shared memory feeds TN multiply-adds, one of B feeds TM
//@ type     f32, f64
//@ param    BM 128 {64,128}, BN 128 {64,128}, BK 8 {8,16}, TM 8 {4,8}, TN 8 {4,8}
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  NT<=1024 && BM*BK%NT==0 && BN*BK%NT==0 "each thread loads as many elements as its neighbour"
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0
//@ source   Simon Boehm, How to Optimize a CUDA Matmul Kernel, kernel 5
__global__ void __launch_bounds__(NT)
    tile2d(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C,
           int ldc)
{
    __shared__ T As[BM][BK], Bs[BK][BN];
    const int row = blockIdx.y * BM, column = blockIdx.x * BN;
    const int r = threadIdx.x / (BN / TN) * TM, c = threadIdx.x % (BN / TN) * TN;
    T sum[TM][TN] = {};
    A += (size_t)row * lda;
    B += column;

    for (int left = K; left > 0; left -= BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK; i += NT) {
            const int y = i / BK, k = i % BK;
            As[y][k] = row + y < M && k < left ? A[(size_t)y * lda + k] : 0;
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN; i += NT) {
            const int k = i / BN, x = i % BN;
            Bs[k][x] = k < left && column + x < N ? B[(size_t)k * ldb + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            T a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                a[i] = As[r + i][k];
#pragma unroll
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][c + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
        A += BK;
        B += (size_t)BK * ldb;
    }

#pragma unroll
    for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j++) {
            const int y = row + r + i, x = column + c + j;
            if (y < M && x < N) {
                T *const to = C + (size_t)y * ldc + x;
                *to = beta != 0 ? alpha * sum[i][j] + beta * *to : alpha * sum[i][j];
            }
        }
    }
}
