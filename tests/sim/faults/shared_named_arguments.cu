// shared_named_arguments.cu: an array in a template one of whose arguments could be taken for the length of a name: the symbol
// of Bs has 32 characters behind the 32 of "Li32E". SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ kernel   gemm<128,32,128,8,8>
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 33x47x29
//! untold _Z
//! untold ELi
template <int BM, int BK, int BN, int TM, int TN>
__global__ void gemm(int M, int N, int K, float *A, float *B, float *C)
{
    __shared__ float As[16][16], Bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ty][tx] = row < M && k0 + tx < K ? A[(size_t)row * K + k0 + tx] : 0;
        Bs[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += As[ty][k] * Bs[k * (FIXED ? 1 : 40)][tx]; // FAULT bounds Bs
        __syncthreads();
    }
    if (row < M && col < N)
        C[(size_t)row * N + col] = sum;
}
