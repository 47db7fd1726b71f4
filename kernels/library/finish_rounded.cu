// finish_rounded.cu: the epilogue of a product whose C has 16 bits, from its sums in float.
// SPDX-License-Identifier: MIT
//@ title    Epilogue of a C of 16 bits
//@ idea     the product leaves its sums in float, so that C is rounded once, after the epilogue
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16 ACC=f32
//@ arch     >= sm_80
//@ let      V = 4, NT = 256, DEEP = 4
//@ size     M = 67, N = 1000, lds = 1000, ldc = 1004, per_row = 0, activation = 2
//@ array    in sums f32[M,lds], inout C T[M,ldc], in bias f32[per_row*M + (1-per_row)*N]
//@ flop     4*M*N
//@ arg      pieces = cdiv(N,V), wide = (pieces>8) + 2*(pieces>16) + 4*(pieces>32)
//@ arg      across = 8 * (1 + wide + 8*(pieces>64) + 16*(pieces>128))
//@ args     M, N, sums, lds, 0.5f, C, ldc, bias, per_row, activation, across
//@ grid     cdiv(pieces,across), min(cdiv(M, DEEP*NT/across), 65535)
//@ block    NT
//@ expect   spills == 0
//
// As finish.cu, but C = activation(sums + beta*C + bias): the product has computed alpha * A * B
// into memory of the library's own, whose rows begin at multiples of four floats. C is not read if
// beta is 0.
// Bytes: 4 written by the product in place of 2, 4 read and 2 written here, 8 more than without an
// epilogue, and 2 more to read C.
#include "activation.h"
#include "dependent_launch.h"
#include "store_rows.h"

__device__ static inline float finished(float sum, float beta, float old, float bias,
                                        int activation)
{
    return activate((beta != 0 ? sum + beta * old : sum) + bias, activation);
}

__global__ void __launch_bounds__(NT)
    finish(int M, int N, const float *sums, int lds, float beta, T_C *C, int ldc, const float *bias,
           int per_row, int activation, int across)
{
    wait_for_earlier_grids();
    const int lane = threadIdx.x % across, rows = NT / across;
    const bool aligned = lds % V == 0 && (size_t)sums % (V * sizeof(float)) == 0 && ldc % V == 0 &&
                         (size_t)C % (V * sizeof(T_C)) == 0;
    const int step = aligned ? 1 : across;
    const long long column = (long long)blockIdx.x * across * V + (aligned ? lane * V : lane);
    float of_column[V];
#pragma unroll
    for (int e = 0; e < V; e++)
        of_column[e] =
            bias && !per_row && column + e * step < N ? bias[column + e * step] : NO_BIAS;
    for (long long row = (long long)blockIdx.y * rows + threadIdx.x / across; row < M;
         row += (long long)gridDim.y * rows) {
        const float *s = sums + row * lds + column;
        T_C *c = C + row * ldc + column;
        const float of_row = bias && per_row ? bias[row] : NO_BIAS;
        if (aligned && column + V <= N) {
            const float4 sum = load_four(s);
            const float4 old = beta != 0 ? load_four(c) : make_float4(0, 0, 0, 0);
            const float4 four =
                make_float4(finished(sum.x, beta, old.x, of_row + of_column[0], activation),
                            finished(sum.y, beta, old.y, of_row + of_column[1], activation),
                            finished(sum.z, beta, old.z, of_row + of_column[2], activation),
                            finished(sum.w, beta, old.w, of_row + of_column[3], activation));
            put_four(c, four);
        } else {
#pragma unroll
            for (int e = 0; e < V; e++)
                if (column + e * step < N)
                    c[e * step] =
                        finished(s[e * step], beta, beta != 0 ? load_one(c + e * step) : 0,
                                 of_row + of_column[e], activation);
        }
    }
}
