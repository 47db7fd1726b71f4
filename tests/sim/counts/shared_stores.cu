// shared_stores.cu: stores to shared memory: banks as for loads.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float words[2048];
    const int t = threadIdx.x;
    const float value = A[t];
    words[t] = value;             // COUNT store shared requests 1 wavefronts 1 conflicts 0
    words[2 * t + 33] = value;    // COUNT store shared requests 1 wavefronts 2 conflicts 1
    words[16 * t + 128] = value;  // COUNT store shared requests 1 wavefronts 16 conflicts 15
    words[32 * t + 1000] = value; // COUNT store shared requests 1 wavefronts 32 conflicts 31
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 2048; i += 31)
        sum += i < 32 ? words[i] : 0;
    sum += words[33 + 2 * t] + words[128 + 16 * t] + words[1000 + 32 * t];
    C[t] = sum;
}
