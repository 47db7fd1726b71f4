// A transpose, a thread for each element: the loads of a warp are a row, its stores a column. SPDX-License-Identifier: MIT
//@ size N = 64, M = 96
//@ array in f32[N,M], out f32[M,N]
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32, 32
//! verdict advice
//! says store to 32 rows of out, .*: 32 sectors a request where 4 would do
//! fact flops 0
//! fact bytes 49152
//! size N=33,M=70
// 3 x 2 blocks of 32 warps are 192 requests. A row of 32 floats is 4 sectors; a column of 32 is in 32 of them.
__global__ void transpose(const float *in, float *out, int N, int M)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < N && column < M) {
        float x = in[row * M + column]; // COUNT load global requests 192 sectors 768 sectors_ideal 768
        out[column * N + row] = x; // COUNT store global requests 192 sectors 6144 sectors_ideal 768
    }
}
