// plain_04.cu: 04_shared_1d as loops over blocks and threads, in one thread: a loop over the block's threads between each
// two barriers, and what a thread keeps across them in an array. SPDX-License-Identifier: MIT
//@ type     f32
//@ param    BS 32
//@ grid     1
//@ block    1
__global__ void plain(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc)
{
    T As[BS * BS], Bs[BS * BS], sum[BS * BS];
    for (int by = 0; by < (N + BS - 1) / BS; by++)
        for (int bx = 0; bx < (M + BS - 1) / BS; bx++) {
            for (int t = 0; t < BS * BS; t++)
                sum[t] = 0;
            for (int tile = 0; tile < K; tile += BS) {
                for (int t = 0; t < BS * BS; t++) {
                    const int i = t / BS, j = t % BS;
                    const int row = bx * BS + i, col = by * BS + j;
                    As[i * BS + j] = row < M && tile + j < K ? A[(size_t)row * lda + tile + j] : 0;
                    Bs[i * BS + j] = tile + i < K && col < N ? B[(size_t)(tile + i) * ldb + col] : 0;
                }
                for (int t = 0; t < BS * BS; t++) {
                    const int i = t / BS, j = t % BS;
                    T s = sum[t];
                    for (int k = 0; k < BS; k++)
                        s += As[i * BS + k] * Bs[k * BS + j];
                    sum[t] = s;
                }
            }
            for (int t = 0; t < BS * BS; t++) {
                const int row = bx * BS + t / BS, col = by * BS + t % BS;
                if (row >= M || col >= N)
                    continue;
                T *c = &C[(size_t)row * ldc + col];
                *c = beta != 0 ? alpha * sum[t] + beta * *c : alpha * sum[t];
            }
        }
}
