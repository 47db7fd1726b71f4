// planted_copy.cu: a copy of one array, a kernel that is no GEMM. SPDX-License-Identifier: MIT
//@ size N = 64
//@ array in x f32[N], out y f32[N]
//@ flop 0
//@ grid 1
//@ block 64
//! verdict clean
__global__ void copy(int N, const float *x, float *y)
{
    int i = threadIdx.x;
    if (i < N)
        y[i] = x[i];
}
