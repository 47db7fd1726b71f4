// A sum whose threads add to one number without an atomic operation. SPDX-License-Identifier: MIT
//@ size N = 1024
//@ array in x f32[N], inout sum f32[1]
//@ flop N
//@ grid cdiv(N,256)
//@ block 256
//! verdict faults
__global__ void reduce(const float *x, float *sum, int N)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N)
        sum[0] += x[i]; // FAULT race sum
}
