// amd_global_wave32.cu: global memory of a GPU with waves of 32 lanes and cache lines of 128 bytes (gfx1100).
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    64
//! size 4096x4x4
//! options --gpu rx7900xtx
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    sum += A[t];                            // COUNT load global requests 2 sectors 2 sectors_ideal 2
    sum += A[t + 1];                        // COUNT load global requests 2 sectors 4 sectors_ideal 2
    sum += A[2 * t];                        // COUNT load global requests 2 sectors 4
    sum += A[32 * t];                       // COUNT load global requests 2 sectors 64 sectors_ideal 2
    sum += A[5];                            // COUNT load global requests 2 sectors 2
    sum += ((const double *)A)[t];          // COUNT load global requests 2 bytes 8 sectors 4
    float4 v = ((const float4 *)A)[t + 64]; // COUNT load global requests 2 bytes 16 sectors 8
    sum += v.x + v.y + v.z + v.w;
    C[t] = sum; // COUNT store global requests 2 sectors 2
}
