// A transpose whose grid forgets what is left beyond the last whole tile. SPDX-License-Identifier: MIT
//@ size N = 64, M = 70
//@ array in f32[N,M], out f32[M,N]
//@ grid M/32, cdiv(N,32)
//@ block 32, 32
//! verdict faults
//! says 384 of the 4480 elements of out are never written, out\[4096\] the first of them
__global__ void transpose(const float *in, float *out, int N, int M)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < N && column < M)
        out[column * N + row] = in[row * M + column];
}
