// global_stores.cu: what a warp stores to global memory.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    const float value = A[t];
    C[t] = value;           // COUNT store global requests 1 sectors 4
    C[2 * t + 64] = value;  // COUNT store global requests 1 sectors 8
    C[8 * t + 129] = value; // COUNT store global requests 1 sectors 32
    C[t + 513] = value;     // COUNT store global requests 1 sectors 5
    if (t >= 28)
        C[t + 600] = value; // COUNT store global requests 1 lanes 4 sectors 1
}
