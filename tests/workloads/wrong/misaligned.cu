// A copy by vectors of 16 bytes whose first is at the second element. SPDX-License-Identifier: MIT
//@ size N = 1024
//@ array in x f32[N], out y f32[N]
//@ grid cdiv(N,1024)
//@ block 256
//! verdict faults
__global__ void copy(int N, const float *x, float *y)
{
    int i = 4 * (blockIdx.x * 256 + threadIdx.x);
    if (i + 4 >= N)
        return;
    float4 four = *(const float4 *)(x + i + 1); // FAULT alignment x
    *(float4 *)(y + i) = four;
}
