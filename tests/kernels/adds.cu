// adds.cu: blocks along K add to one C, which is zeroed before; all matrices lie by columns. SPDX-License-Identifier: MIT
//@ title    Adding by atomics
//@ type     f32
//@ layout   A col, B col, C col
//@ zero     C
//@ grid     cdiv(M,16), cdiv(N,16), 4
//@ block    16, 16

__global__ void adds(int M, int N, int K, const float *A, const float *B, float *C)
{
    int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i < M && j < N)
        for (int k = blockIdx.z; k < K; k += gridDim.z)
            atomicAdd(&C[j * M + i], A[k * M + i] * B[j * K + k]);
}
