// 000_shared_unread.cu: worklog 000, section 3, with its two missing semicolons and the loop's name for bIdx put right. Its
// fault: the inner loop reads B in global memory, and Bs is written and never read.
// SPDX-License-Identifier: MIT
// with grid cdiv(M,32), cdiv(N,32)
// with block 32*32
// with require M%32==0 && N%32==0 && K%32==0
//! size 64
#define BLOCKSIZE 32

__global__ void gemmKernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    int cRow = blockIdx.x;
    int cCol = blockIdx.y;
    int threadRow = threadIdx.x / BLOCKSIZE;
    int threadCol = threadIdx.x % BLOCKSIZE;
    A += cRow * BLOCKSIZE * K;
    B += cCol * BLOCKSIZE;
    C += BLOCKSIZE * (cRow * N + cCol);
    __shared__ float As[BLOCKSIZE * BLOCKSIZE];
    __shared__ float Bs[BLOCKSIZE * BLOCKSIZE]; // WITH unused Bs
    float tmp = 0.0f;
    for (int bIdx = 0; bIdx < K; bIdx += BLOCKSIZE) {
        As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
        Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol]; // WARN unused Bs
        __syncthreads();
        A += BLOCKSIZE;
        B += BLOCKSIZE * N;
        for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx)
            tmp += As[threadRow * BLOCKSIZE + dotIdx] * B[dotIdx * BLOCKSIZE + threadCol]; // FAULT bounds B
        __syncthreads();
    }
    C[threadRow * N + threadCol] = tmp;
}
