// repeated.cu: loops of a known length are unrolled, and what they read again is kept in registers.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = A[t];
    tile[t + 32] = A[t + 32];
    __syncthreads();
    float sum[4][4] = {};
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++)
            sum[m][n] +=
                tile[m * 16] * // COUNT load shared requests 4
                B[n * 32 + t]; // COUNT load global requests 4 lanes 128 sectors 16
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++)
            C[(m * 4 + n) * 32 + t] = sum[m][n]; // COUNT store global requests 16 lanes 512 sectors 64
}
