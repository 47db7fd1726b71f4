// 004_vector.cu: worklog 004, kernel 5, at a tile of 32. Its faults: those of 004_tile1d.cu, and the float4 loads need rows
// whose length is a multiple of four.
// SPDX-License-Identifier: MIT
// with grid max(M/128,1), max(N/128,1)
// with block 32, 32
//! size 128x130x33
#define SGEMM_TS 32
#define SGEMM_LS 4
#define VECTOR(x) reinterpret_cast<float4 *>(&(x))[0]

__global__ void matmul_kernel(float *A, float *B, float *C, int M, int N, int K)
{
    int _m = threadIdx.y;
    int _n = threadIdx.x;
    int m = SGEMM_LS * (blockDim.x * blockIdx.x + _m);
    int n = SGEMM_LS * (blockDim.y * blockIdx.y + _n);
    __shared__ float _A[(SGEMM_TS * SGEMM_LS) * SGEMM_TS];
    __shared__ float _B[SGEMM_TS * (SGEMM_TS * SGEMM_LS)];
    if (m >= M || n >= N)
        return;
    float4 acc[SGEMM_LS] = {0.0f};
    for (int t = 0; t < K / SGEMM_TS; t++) {
        int t_n = (_n % (SGEMM_TS / SGEMM_LS)) * SGEMM_LS;
        int t_m = _n / (SGEMM_TS / SGEMM_LS);
        VECTOR(_A[(_m * SGEMM_LS + t_m) * SGEMM_TS + t_n]) = VECTOR(A[(m + t_m) * K + t * SGEMM_TS + t_n]); // FAULT alignment A
        VECTOR(_B[_m * (SGEMM_TS * SGEMM_LS) + (_n * SGEMM_LS)]) = VECTOR(B[(SGEMM_TS * t + _m) * N + n]); // FAULT alignment B
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SGEMM_TS; k++) {
            for (int l_m = 0; l_m < SGEMM_LS; l_m++) {
                float _a = _A[(_m * SGEMM_LS + l_m) * SGEMM_TS + k];
                float4 _b = VECTOR(_B[k * (SGEMM_TS * SGEMM_LS) + (_n * SGEMM_LS)]);
                acc[l_m].x += _a * _b.x;
                acc[l_m].y += _a * _b.y;
                acc[l_m].z += _a * _b.z;
                acc[l_m].w += _a * _b.w;
            }
        }
        __syncthreads();
    }
    for (int l_m = 0; l_m < SGEMM_LS; l_m++)
        VECTOR(C[(m + l_m) * N + n]) = acc[l_m]; // FAULT alignment C
}
