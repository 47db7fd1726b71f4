// global_doubles.cu: doubles: a sector has 4.
// SPDX-License-Identifier: MIT
//@ type     f64
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const double *A, const double *B, double *C)
{
    const int t = threadIdx.x;
    double sum = 0;
    sum += A[t];     // COUNT load global requests 1 bytes 8 sectors 8
    sum += A[t + 1]; // COUNT load global requests 1 bytes 8 sectors 9
    sum += A[2 * t]; // COUNT load global requests 1 bytes 8 sectors 16
    sum += A[4 * t]; // COUNT load global requests 1 bytes 8 sectors 32
    sum += B[0];     // COUNT load global requests 1 bytes 8 sectors 1
    C[t] = sum;      // COUNT store global requests 1 bytes 8 sectors 8
}
