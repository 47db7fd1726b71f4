// no_compile.cu: is no CUDA. SPDX-License-Identifier: MIT
// expect: no-compile compiler
// options: --size 128
//@ grid     1
//@ block    1
__global__ void kernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    C[0] = undeclared;
}
