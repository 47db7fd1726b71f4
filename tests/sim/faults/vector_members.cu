// vector_members.cu: the members of a float4 of B one by one, from rows of odd length: a GPU's compiler makes one access of
// them, since the type says that they are aligned.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,128), M
//@ block    32
//! size 33x65x29
//! run 33x65x29 alignment crash
//! told line 19
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int row = blockIdx.y;
    int col = (blockIdx.x * 32 + threadIdx.x) * 4;
    if (col + 3 < N && (!FIXED || N % 4 == 0)) {
        float sum[4] = {};
        for (int k = 0; k < K; k++) {
            const float a = A[row * K + k];
            const float4 *b = (const float4 *)&B[k * N + col];
            const float four[] = {b->x, b->y, b->z, b->w}; // FAULT alignment B
            for (int i = 0; i < 4; i++)
                sum[i] += a * four[i];
        }
        for (int i = 0; i < 4; i++)
            C[row * N + col + i] = sum[i];
        return;
    }
    for (int end = min(col + 4, N); col < end; col++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}
