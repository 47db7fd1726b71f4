// A transpose through shared memory without a barrier between its stores and its loads. SPDX-License-Identifier: MIT
//@ size N = 64, M = 64
//@ array in f32[N,M], out f32[M,N]
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32, 32
//! verdict faults
__global__ void transpose(const float *in, float *out, int N, int M)
{
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[row * M + column]; // WITH race tile
    row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
    out[row * N + column] = tile[threadIdx.x][threadIdx.y]; // FAULT race tile; MAY uninitialised tile
}
