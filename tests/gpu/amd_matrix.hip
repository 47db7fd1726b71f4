// amd_matrix.hip: one wavefront multiplies 32 x K by K x 32 on the matrix cores of gfx90a and gfx942.
// SPDX-License-Identifier: MIT
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));

__global__ void __launch_bounds__(64)
    gemm(int M, int N, int K, const __half *A, const __half *B, float *C)
{
    const int lane = threadIdx.x % 32, half = threadIdx.x / 32;
    f32x16 sum = {};
    for (int k = 0; k < K; k += 8) {
        f16x4 a, b;
        for (int i = 0; i < 4; i++) {
            a[i] = (_Float16)A[lane * K + k + half * 4 + i];
            b[i] = (_Float16)B[(k + half * 4 + i) * N + lane];
        }
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, sum, 0, 0, 0);
    }
    for (int i = 0; i < 16; i++)
        C[(i / 4 * 8 + half * 4 + i % 4) * N + lane] = sum[i];
}
