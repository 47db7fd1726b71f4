// A sum that stays in the threads' registers. SPDX-License-Identifier: MIT
//@ size N = 256
//@ array in x f32[N], out sum f32[1]
//@ grid 1
//@ block 256
//! verdict faults
//! says sum is never written: no thread stores to it
__global__ void reduce(int N, const float *x, float *sum)
{
    float mine = threadIdx.x < N ? x[threadIdx.x] : 0;
    if (mine != mine)
        sum[0] = mine;
}
