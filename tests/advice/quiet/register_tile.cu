// register_tile.cu: a block of 64 threads has a tile of 64 x 64 results, 8 x 8 a thread. SPDX-License-Identifier: MIT
//@ type f32
//@ require M%64==0 && N%64==0 && K%16==0
//@ grid N/64, M/64
//@ block 64
__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float As[16][64 + 4], Bs[16][64];
    const int t = threadIdx.x, i = t / 8 * 4, j = t % 8 * 4;
    const int row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[8][8] = {};
    for (int tile = 0; tile < K; tile += 16) {
        for (int e = 0; e < 4; e++) {
            const int y = t / 4 + e * 16, k = t % 4 * 4;
            const float4 a = *(const float4 *)&A[(row + y) * K + tile + k];
            As[k][y] = a.x;
            As[k + 1][y] = a.y;
            As[k + 2][y] = a.z;
            As[k + 3][y] = a.w;
            const int x = t % 16 * 4, z = t / 16 + e * 4;
            *(float4 *)&Bs[z][x] = *(const float4 *)&B[(tile + z) * N + col + x];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const float4 a0 = *(const float4 *)&As[k][i], a1 = *(const float4 *)&As[k][i + 32];
            const float4 b0 = *(const float4 *)&Bs[k][j], b1 = *(const float4 *)&Bs[k][j + 32];
            const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            const float b[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int m = 0; m < 8; m++)
#pragma unroll
                for (int n = 0; n < 8; n++)
                    sum[m][n] += a[m] * b[n];
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < 8; m++)
#pragma unroll
        for (int n = 0; n < 8; n += 4)
            *(float4 *)&C[(row + i + m / 4 * 32 + m % 4) * N + col + j + n / 4 * 32] =
                make_float4(sum[m][n], sum[m][n + 1], sum[m][n + 2], sum[m][n + 3]);
}
