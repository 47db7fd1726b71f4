// overflow_bytes.cu: a distance in bytes passes 2^31 where the matrix has a quarter as many elements.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! size 16x2099200x260
template <class T> __device__ T at_byte(const T *from, long long bytes)
{
    return *(const T *)((const char *)from + bytes); // FAULT bounds B
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    const int bytes_of_row = N * (int)sizeof(float);
    if (i >= M || j >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[i * K + k] *
               at_byte(B, FIXED ? (long long)k * bytes_of_row + j * 4 : k * bytes_of_row + j * 4); // FAULT overflow
    C[i * N + j] = sum;
}
