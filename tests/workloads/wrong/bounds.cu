// A transpose whose guard counts the rows as columns. SPDX-License-Identifier: MIT
//@ size N = 33, M = 70
//@ array in f32[N,M], out f32[M,N]
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32, 32
//! verdict faults
//! says in\[[0-9]+\] \(row [0-9]+, column [0-9]+\), past the end of in, which has 2310 elements
__global__ void transpose(const float *in, float *out, int N, int M)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < M && column < M) {
        float x = in[row * M + column]; // FAULT bounds in
        out[column * N + row] = x; // MAY bounds out; MAY race out
    }
}
