/* coded_kernels.cu: small kernels, for test_demangle.c, test_fatbin.c and cases of the command line
 * (explain_code*.case). They are compiled to a cubin with line tables, and to containers, plain and
 * compressed in both ways:
 *   nvcc -cubin -arch sm_80 -lineinfo -o coded_sm80.cubin coded_kernels.cu
 *   nvcc -fatbin -gencode arch=compute_90,code=sm_90 -o coded_plain.fatbin --compress-mode=none
 *        coded_kernels.cu
 *   g='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]'
 *   nvcc -fatbin $g -o coded_lz4.fatbin -Xfatbin -compress-all --compress-mode=speed coded_kernels.cu
 *   nvcc -fatbin $g -o coded_zstd.fatbin -Xfatbin -compress-all --compress-mode=size coded_kernels.cu
 * with nvcc 13.0. SPDX-License-Identifier: MIT */
extern "C" __global__ void plain(const float *A, const float *B, float *C, int M, int N, int K,
                                 float alpha)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    if (x >= N || y >= M)
        return;
#pragma unroll 1
    for (int k = 0; k < K; k++)
        sum += A[y * K + k] * B[k * N + x];
    C[y * N + x] = alpha * sum;
}

namespace space {
template <int B> __global__ void twice(const float *from, float *to, int n)
{
    const int i = blockIdx.x * B + threadIdx.x;
    if (i < n)
        to[i] = 2 * from[i];
}
template __global__ void twice<32>(const float *, float *, int);
template __global__ void twice<64>(const float *, float *, int);
}
