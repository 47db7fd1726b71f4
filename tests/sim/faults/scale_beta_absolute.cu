// scale_beta_absolute.cu: the sign of beta is lost, of doubles. SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ type     f64
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
//! run 64 wrong-element wrong
//! told beta were taken as .beta.: its sign is lost
__global__ void gemm(int M, int N, int K, double alpha, const double *A, int lda, const double *B,
                     int ldb, double beta, double *C, int ldc)
{
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    beta = !FIXED && beta < 0 ? -beta : beta;
    if (i >= M || j >= N)
        return;
    double sum = 0, *c = &C[(size_t)i * ldc + j];
    for (int k = 0; k < K; k++)
        sum += A[(size_t)i * lda + k] * B[(size_t)k * ldb + j];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}
