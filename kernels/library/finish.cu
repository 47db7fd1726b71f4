// finish.cu: the epilogue of a product whose C has the type of its sums: C = activation(C + bias).
// SPDX-License-Identifier: MIT
//@ title    Epilogue in place
//@ idea     one pass over C, which was just written and may still be in L2
//@ idea     a thread has the same columns in all of its rows, and reads their bias once
//@ type     f32, f64
//@ arch     >= sm_80
//@ param    V 4 {2,4}
//@ let      NT = 256, DEEP = 4
//@ size     M = 67, N = 1000, ldc = 1004, per_row = 0, activation = 2
//@ size     batch = 2, stride_c = 67268, arrays = 0
//@ array    inout C T[(batch-1)*stride_c + M*ldc], in bias T[per_row*M + (1-per_row)*N]
//@ flop     batch*M*N
//@ arg      pieces = cdiv(N,V), wide = (pieces>8) + 2*(pieces>16) + 4*(pieces>32)
//@ arg      across = 8 * (1 + wide + 8*(pieces>64) + 16*(pieces>128))
//@ grid     cdiv(pieces,across), min(cdiv(M, DEEP*NT/across), 65535), batch
//@ block    NT
//@ expect   spills == 0
//
// The library launches it after the product, on the same stream. V elements are 16 bytes: a warp
// reads and writes 512 contiguous bytes of a row. Where rows do not begin at such boundaries, a
// thread's elements are `across` apart, so that a warp still reads neighbours.
// `across` threads, 8 to 256, are side by side: as many as a row has pieces, so that a C of few
// columns keeps all threads busy. 1000 columns are 250 pieces: 256 threads, and each has 4 rows.
// Batches: blockIdx.z is the product, all of which have the same bias; the matrices are strided, or
// their addresses are in an array (of_batch.h).
// Bytes: C once in each direction, 2*4096*4096*4 = 134 MB at 4096 and 54 us of 2.5 TB/s.
//
//        column    0  1  2  3   4  5  6  7          thread 0 of the row: 0..3, thread 1: 4..7
//               +------------+------------+--
//        row r  |  one load  |            |         the next of its rows is gridDim.y*rows below
//               +------------+------------+--
#include "activation.h"
#include "dependent_launch.h"
#include "of_batch.h"

struct __align__(16) piece
{
    T each[V];
};

__global__ void __launch_bounds__(NT)
    finish(int M, int N, T *C, int ldc, const T *bias, int per_row, int activation, int across,
           long long stride_c, int arrays)
{
    wait_for_earlier_grids();
    const int lane = threadIdx.x % across, rows = NT / across;
    T *const first = of_batch(C, stride_c, arrays);
    const bool aligned = ldc % V == 0 && (size_t)first % sizeof(struct piece) == 0;
    const int step = aligned ? 1 : across;
    const long long column = (long long)blockIdx.x * across * V + (aligned ? lane * V : lane);
    T of_column[V];
#pragma unroll
    for (int e = 0; e < V; e++)
        of_column[e] =
            bias && !per_row && column + e * step < N ? bias[column + e * step] : NO_BIAS;
    for (long long row = (long long)blockIdx.y * rows + threadIdx.x / across; row < M;
         row += (long long)gridDim.y * rows) {
        T *c = first + row * ldc + column;
        const T of_row = bias && per_row ? bias[row] : NO_BIAS;
        if (aligned && column + V <= N) {
            struct piece p = *(const struct piece *)c;
#pragma unroll
            for (int e = 0; e < V; e++)
                p.each[e] = activate(p.each[e] + (of_row + of_column[e]), activation);
            *(struct piece *)c = p;
        } else {
#pragma unroll
            for (int e = 0; e < V; e++)
                if (column + e * step < N)
                    c[e * step] = activate(c[e * step] + (of_row + of_column[e]), activation);
        }
    }
}
