// shared_doubles.cu: doubles span two banks.
// SPDX-License-Identifier: MIT
//@ type     f64
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const double *A, const double *B, double *C)
{
    __shared__ double words[1024];
    const int t = threadIdx.x;
    for (int i = t; i < 1024; i += 32)
        words[i] = A[i]; // COUNT store shared requests 32 bytes 8 wavefronts 64 conflicts 0
    __syncthreads();
    double sum = 0;
    sum += words[t];       // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    sum += words[2 * t];   // COUNT load shared requests 1 bytes 8 wavefronts 4 conflicts 2
    sum += words[16 * t];  // COUNT load shared requests 1 bytes 8 wavefronts 32 conflicts 30
    sum += words[17 * t];  // COUNT load shared requests 1 bytes 8 wavefronts 2 conflicts 0
    C[t] = sum;
}
