// overflow_cast.cu: the product is cast to 64 bits when it has overflowed already.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 16x2099200x1024
//! says overflow.*k \* N \+ j passes
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        const size_t at = FIXED ? (size_t)k * N + j : (size_t)(k * N + j); // FAULT overflow
        sum += A[i * K + k] * B[at];                                        // FAULT bounds B
    }
    C[i * N + j] = sum;
}
