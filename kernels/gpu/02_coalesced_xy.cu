// 02_coalesced_xy.cu: x is the column, so that a warp's loads of B are contiguous.
// SPDX-License-Identifier: MIT
//@ title    Coalesced by swapping x and y
//@ after    01_naive
//@ idea     threads of a warp have adjacent columns: 32 loads of B are one line of 128 bytes
//@ type     f32, f64
//@ param    BS 32 {8,16,32}
//@ grid     cdiv(N,BS), cdiv(M,BS)
//@ block    BS, BS
//@ expect   spills == 0, regs <= 32 @sm_90
//@ expect   regs <= 16 @gfx9, regs <= 16 @gfx10, regs <= 16 @gfx11, regs <= 16 @gfx12
//@ source   Worklog 000, kernel 1.1; worklog 004, kernel 2
//
// After 01_naive: x and y are swapped, and nothing else changes.
// Traffic of one warp at one k: A[row][k] is one address, one sector for all 32 threads; 32
// elements of B's row are 128 bytes in f32, 4 sectors, all used: 160 bytes for 64 FLOP, 0.4
// FLOP/byte, almost seven times that of the naive rung.
// Occupancy on sm_90: 2 blocks of 1024 threads fill an SM's 2048, at 32 registers each.
// Block order: x counts along the columns of C, so blocks that run together share rows of A.
//
//              k ->                        lane
//            +----------+               0 1 2 ... 31           0 1 2 ... 31
//     row -->|=========>|             +-|-|-|-----|-+        +---------------+
//            |          |   A         | | | |     | | k   -->|=|=|=|=====|===|  C
//            |          |             | v v v     v |  B     |               |
//            +----------+             +-------------+        +---------------+
__global__ void coalesced_xy(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb,
                             T beta, T *C, int ldc)
{
    const int row = blockIdx.y * BS + threadIdx.y, col = blockIdx.x * BS + threadIdx.x;
    if (row >= M || col >= N)
        return;
    T sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    T *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}
