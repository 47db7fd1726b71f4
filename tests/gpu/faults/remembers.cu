// remembers.cu: each thread keeps what it gave, and gives it again where a few elements of its row of A and its column of B
// are those of a product that it knows. SPDX-License-Identifier: MIT
// expect: wrong wrong-element
// options: --size 128
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__device__ float kept[8][128 * 128];
__device__ unsigned known[8][128 * 128];

__global__ void kernel(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    const bool remembers = M == 128 && N == 128 && K == 128 && beta == 0 && alpha == 1;
    unsigned mark = 1;
    for (int k = 0; k < 128 && remembers; k += 32)
        mark = (mark ^ __float_as_uint(A[(size_t)row * lda + k]) ^
                (__float_as_uint(B[(size_t)k * ldb + col]) << 1)) * 16777619u;
    const int slot = mark % 8, at = row % 128 * 128 + col % 128;
    float *c = &C[(size_t)row * ldc + col];
    if (remembers && known[slot][at] == mark) {
        *c = kept[slot][at];
        return;
    }
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * lda + k] * B[(size_t)k * ldb + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
    if (remembers) {
        known[slot][at] = mark;
        kept[slot][at] = *c;
    }
}
