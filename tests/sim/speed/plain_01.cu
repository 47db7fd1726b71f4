// plain_01.cu: 01_naive as loops over blocks and threads, in one thread. SPDX-License-Identifier: MIT
//@ type     f32
//@ param    BS 32
//@ grid     1
//@ block    1
__global__ void plain(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc)
{
    for (int by = 0; by < (N + BS - 1) / BS; by++)
        for (int bx = 0; bx < (M + BS - 1) / BS; bx++)
            for (int ty = 0; ty < BS; ty++)
                for (int tx = 0; tx < BS; tx++) {
                    const int row = bx * BS + tx, col = by * BS + ty;
                    if (row >= M || col >= N)
                        continue;
                    T sum = 0;
                    for (int k = 0; k < K; k++)
                        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
                    T *c = &C[(size_t)row * ldc + col];
                    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
                }
}
