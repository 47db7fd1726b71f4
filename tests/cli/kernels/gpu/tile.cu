// tile.cu: a kernel whose figures are known: 8 x 8 results a thread, read from shared memory in vectors of 4.
// SPDX-License-Identifier: MIT
//@ title    A tile of 64 x 64
//@ type     f32
//@ param    BM 64 {32,64}, BN 64, BK 8, TM 8, TN 8
//@ let      NT = (BM/TM)*(BN/TN)
//@ require  M%BM==0 && N%BN==0 && K%BK==0
//@ grid     cdiv(N,BN), cdiv(M,BM)
//@ block    NT
//@ expect   spills == 0, shared.flop_per_byte == TM*TN/(2*(TM+TN)), regs <= 255 @sm_80
__global__ void __launch_bounds__(NT)
    tile(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float As[BK][BM], Bs[BK][BN];
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int i = threadIdx.x / (BN / TN) * TM, j = threadIdx.x % (BN / TN) * TN;
    float sum[TM][TN] = {};
    for (int tile = 0; tile < K; tile += BK) {
        for (int e = threadIdx.x; e < BM * BK; e += NT)
            As[e % BK][e / BK] = A[(row + e / BK) * K + tile + e % BK];
        for (int e = threadIdx.x; e < BK * BN; e += NT)
            Bs[e / BN][e % BN] = B[(tile + e / BN) * N + col + e % BN];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++)
            for (int m = 0; m < TM; m++)
                for (int n = 0; n < TN; n++)
                    sum[m][n] += As[k][i + m] * Bs[k][j + n];
        __syncthreads();
    }
    for (int m = 0; m < TM; m++)
        for (int n = 0; n < TN; n++)
            C[(row + i + m) * N + col + j + n] = sum[m][n];
}
