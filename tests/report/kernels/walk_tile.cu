// walk_tile.cu: tiles of 16 x 16 in shared memory; that of A lies transposed in rows of 32. SPDX-License-Identifier: MIT
//@ type f32
//@ require M%16==0 && N%16==0 && K%16==0
//@ grid N/16, M/16
//@ block 16,16
__global__ void tile(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[16][32], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < K; t += 16) {
        As[tx][ty] =
            A[row * K + t + tx];
        Bs[ty][tx] = B[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            const float a = As[k][ty];
            const float b = Bs[k][tx];
            sum += a * b;
        }
        __syncthreads();
    }
    C[row * N + col] = sum;
}
