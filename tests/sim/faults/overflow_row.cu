// overflow_row.cu: the index of A is an int, and passes 2^31 in the last rows: A has more elements.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(M,16), cdiv(N,16)
//@ block    16, 16
//! size 2099200x16x1024
//! says overflow.*i \* K \+ k passes what an int holds, 2\^31 - 1, at this size: 209[0-9]* \* 1024 is 214
//! says compute it in 64 bits: \(size_t\)i \* K \+ k
//! says bounds.*the index has passed what 32 bits hold
//! exit 1
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= M || j >= N)
        return;
    float sum = 0;
    if (FIXED) {
        for (int k = 0; k < K; k++)
            sum += A[(size_t)i * K + k] * B[k * N + j];
    } else {
        for (int k = 0; k < K; k++)
            sum += A[i * K + k] * B[k * N + j]; // FAULT overflow; FAULT bounds A
    }
    C[i * N + j] = sum;
}
