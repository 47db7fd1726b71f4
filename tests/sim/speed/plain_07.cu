// plain_07.cu: 07_tile2d as loops over blocks and threads, in one thread: a loop over the block's threads between each
// two barriers, and what a thread keeps across them in an array. SPDX-License-Identifier: MIT
//@ type     f32
//@ param    BM 128, BN 128, BK 16, TM 8, TN 8
//@ let      NT = (BM/TM)*(BN/TN)
//@ grid     1
//@ block    1
__global__ void plain(int M, int N, int K, T alpha, const T *A, int lda, const T *B, int ldb, T beta, T *C, int ldc)
{
    T As[BM][BK], Bs[BK][BN], sum[NT][TM][TN];
    for (int row = 0; row < M; row += BM)
        for (int col = 0; col < N; col += BN) {
            for (int t = 0; t < NT; t++)
                for (int m = 0; m < TM; m++)
                    for (int n = 0; n < TN; n++)
                        sum[t][m][n] = 0;
            for (int tile = 0; tile < K; tile += BK) {
                for (int t = 0; t < NT; t++) {
                    for (int e = 0; e < BM * BK / NT; e++) {
                        const int y = t / BK + e * (NT / BK), k = t % BK;
                        const bool inside = row + y < M && tile + k < K;
                        As[y][k] = inside ? A[(size_t)(row + y) * lda + tile + k] : 0;
                    }
                    for (int e = 0; e < BN * BK / NT; e++) {
                        const int k = t / BN + e * (NT / BN), x = t % BN;
                        const bool inside = tile + k < K && col + x < N;
                        Bs[k][x] = inside ? B[(size_t)(tile + k) * ldb + col + x] : 0;
                    }
                }
                for (int t = 0; t < NT; t++) {
                    const int i = t / (BN / TN) * TM, j = t % (BN / TN) * TN;
                    T s[TM][TN];
                    for (int m = 0; m < TM; m++)
                        for (int n = 0; n < TN; n++)
                            s[m][n] = sum[t][m][n];
#pragma unroll
                    for (int k = 0; k < BK; k++) {
                        T a[TM], b[TN];
                        for (int m = 0; m < TM; m++)
                            a[m] = As[i + m][k];
                        for (int n = 0; n < TN; n++)
                            b[n] = Bs[k][j + n];
                        for (int m = 0; m < TM; m++)
                            for (int n = 0; n < TN; n++)
                                s[m][n] += a[m] * b[n];
                    }
                    for (int m = 0; m < TM; m++)
                        for (int n = 0; n < TN; n++)
                            sum[t][m][n] = s[m][n];
                }
            }
            for (int t = 0; t < NT; t++) {
                const int i = t / (BN / TN) * TM, j = t % (BN / TN) * TN;
                for (int m = 0; m < TM; m++)
                    for (int n = 0; n < TN; n++) {
                        if (row + i + m >= M || col + j + n >= N)
                            continue;
                        T *c = &C[(size_t)(row + i + m) * ldc + col + j + n];
                        *c = beta != 0 ? alpha * sum[t][m][n] + beta * *c : alpha * sum[t][m][n];
                    }
            }
        }
}
