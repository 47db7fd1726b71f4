// amd_global.cu: global memory of a GPU with waves of 64 lanes and cache lines of 64 bytes (gfx90a).
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    64
//! size 4096x4x4
//! options --gpu mi210
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    sum += A[t];                            // COUNT load global requests 1 sectors 4 sectors_ideal 4
    sum += A[t + 1];                        // COUNT load global requests 1 sectors 5 sectors_ideal 4
    sum += A[2 * t];                        // COUNT load global requests 1 sectors 8 sectors_ideal 4
    sum += A[16 * t];                       // COUNT load global requests 1 sectors 64 sectors_ideal 4
    sum += A[63 - t];                       // COUNT load global requests 1 sectors 4
    sum += A[5];                            // COUNT load global requests 1 sectors 1 sectors_ideal 1
    sum += A[t / 16 * 64];                  // COUNT load global requests 1 sectors 4 sectors_ideal 1
    sum += ((const double *)A)[t];          // COUNT load global requests 1 bytes 8 sectors 8 sectors_ideal 8
    sum += ((const float4 *)A)[t].x;        // COUNT load global requests 1 bytes 4 sectors 16
    float4 v = ((const float4 *)A)[t + 64]; // COUNT load global requests 1 bytes 16 sectors 16 sectors_ideal 16
    sum += v.x + v.y + v.z + v.w;
    if (t < 32)
        sum += A[t + 128]; // COUNT load global requests 1 lanes 32 sectors 2
    C[t] = sum;            // COUNT store global requests 1 sectors 4
}
