// too_much_shared.cu: wants more shared memory than a block has. SPDX-License-Identifier: MIT
// expect: refused launch
// options: --size 128
//@ grid     1
//@ block    1
//@ smem     1000000
__global__ void kernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    C[0] = A[0] * B[0];
}
