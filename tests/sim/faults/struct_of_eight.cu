// struct_of_eight.cu: a structure of the user's own that says it is aligned, wider than any vector, stored to rows of C of odd
// length.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,256), M
//@ block    32
//! size 33x65x29
//! run 33x65x29 alignment crash
struct __align__(16) eight {
    float v[8];
};
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y, col = (blockIdx.x * 32 + threadIdx.x) * 8;
    eight sum = {};
    for (int k = 0; k < K; k++)
        for (int i = 0; i < 8; i++)
            sum.v[i] += col + i < N ? A[row * K + k] * B[k * N + col + i] : 0;
    if (col + 7 < N && (!FIXED || N % 4 == 0))
        *(eight *)&C[row * N + col] = sum; // FAULT alignment C
    else
        for (int i = 0; i < 8; i++)
            if (col + i < N)
                C[row * N + col + i] = sum.v[i];
}
