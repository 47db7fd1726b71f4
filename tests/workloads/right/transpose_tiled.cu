// A transpose through shared memory: loads and stores are rows, and the columns of the tile are in one bank. SPDX-License-Identifier: MIT
//@ size N = 64, M = 96
//@ array in f32[N,M], out f32[M,N]
//@ grid cdiv(M,32), cdiv(N,32)
//@ block 32, 32
//! verdict advice
//! says pad each row of tile by 1 element
//! fact flops 0
//! fact bytes 49152
//! size N=33,M=70
// 192 warps. Column x of the tile is at words x, x + 32, …, which are 32 words of one bank: 32 wavefronts a request.
__global__ void transpose(const float *in, float *out, int N, int M)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < N && column < M) {
        float x = in[row * M + column]; // COUNT load global requests 192 sectors 768 sectors_ideal 768
        tile[threadIdx.y][threadIdx.x] = x; // COUNT store shared requests 192 wavefronts 192 conflicts 0
    }
    __syncthreads();
    row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
    if (row < M && column < N) {
        float x = tile[threadIdx.x][threadIdx.y]; // COUNT load shared requests 192 wavefronts 6144 wavefronts_ideal 192 conflicts 5952
        out[row * N + column] = x; // COUNT store global requests 192 sectors 768 sectors_ideal 768
    }
}
