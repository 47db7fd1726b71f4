// 01_naive.cu: one thread an element of C, and x is the row.
// SPDX-License-Identifier: MIT
//@ title    Naive, x is the row
//@ idea     each element of C is a row of A times a column of B; one thread does one element
//@ type     f32, f64
//@ param    BS 32 {8,16,32}
//@ grid     cdiv(M,BS), cdiv(N,BS)
//@ block    BS, BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 16 @gfx9, regs <= 16 @gfx10, regs <= 16 @gfx11, regs <= 16 @gfx12
//@ source   Worklog 000, kernel 1; worklog 004, kernel 1
//
// In mathematics the first index of a matrix counts its rows, while CUDA's x counts along a warp.
// If x is the row, as here, the 32 threads of a warp are in 32 different rows.
// Traffic of one warp at one k: 32 rows of A, lda apart, are 32 sectors of 32 bytes, of which 4
// bytes each are used; B[k][col] is one address for all threads. In f32 32 multiply-adds, 64 FLOP,
// move 33 sectors, 1056 bytes: 0.06 FLOP/byte.
// Occupancy on sm_90: 2 blocks of 1024 threads fill an SM's 2048, at 32 registers each.
//
//              k ->                         col
//            +----------+               +----|-----+           +----------+
//   lane 0   |=========>| row           |    |     | k         |    0     |
//   lane 1   |=========>| row+1   A     |    v     |  B        |    1     |  C
//   lane 2   |=========>| row+2         |          |           |    2     |
//            +----------+               +----------+           +----------+
__global__ void naive(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                      T beta, T *C, int ldc)
{
    const int row = blockIdx.x * BS + threadIdx.x, col = blockIdx.y * BS + threadIdx.y;
    if (row >= M || col >= N)
        return;
    T sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}
