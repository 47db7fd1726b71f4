// edge_race.cu: a barrier is left out where the last step is not whole: a `require` would hide it.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! edges 64
//! exit 0
//! says race.*at [0-9x]*: thread
//! run 64 race right
//! untold @ require
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * lda + k0 + tx] : 0; // MAY race As
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * ldb + col] : 0; // MAY race Bs
        if (FIXED || k0 + 16 <= K)
            __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[ty][k]; // EDGE race As; MAY uninitialised As
            const float b = Bs[k][tx]; // EDGE race Bs; EDGE uninitialised Bs
            sum += a * b;
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        float *c = &C[(size_t)row * ldc + col];
        *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    }
}
