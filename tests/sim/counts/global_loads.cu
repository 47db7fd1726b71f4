// global_loads.cu: what a warp asks of global memory; a sector is 32 bytes, 8 floats.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    sum += A[t];           // COUNT load global requests 1 lanes 32 sectors 4 sectors_ideal 4
    sum += A[2 * t];       // COUNT load global requests 1 sectors 8
    sum += A[3 * t];       // COUNT load global requests 1 sectors 12
    sum += A[7 * t];       // COUNT load global requests 1 sectors 28
    sum += A[8 * t];       // COUNT load global requests 1 sectors 32 sectors_ideal 4
    sum += A[32 * t];      // COUNT load global requests 1 sectors 32
    sum += A[64 * t];      // COUNT load global requests 1 sectors 32
    sum += B[t + 1];       // COUNT load global requests 1 sectors 5
    sum += B[t + 71];      // COUNT load global requests 1 sectors 5
    sum += B[255 - t];     // COUNT load global requests 1 sectors 4
    sum += B[t / 2 + 256]; // COUNT load global requests 1 sectors 2
    sum += B[t % 8 + 320]; // COUNT load global requests 1 sectors 1
    sum += B[400];         // COUNT load global requests 1 sectors 1
    if (t < 16)
        sum += B[t + 512]; // COUNT load global requests 1 lanes 16 sectors 2
    if (t % 2 == 1)
        sum += B[8 * t + 1024]; // COUNT load global requests 1 lanes 16 sectors 16
    if (t == 5)
        sum += B[t + 2048]; // COUNT load global requests 1 lanes 1 sectors 1
    C[t] = sum;             // COUNT store global requests 1 lanes 32 sectors 4
}
