// 07_threads.c: a team of threads shares loop ic. SPDX-License-Identifier: MIT
//@ title    Threads over loop ic
//@ after    06_packing
//@ idea     threads share the packed B and take blocks of A as they finish
//@ type     f32, f64
//@ trans    nn, nt, tn, tt
//@ param    MC 120 {60,120,240}, KC 384 {128,256,384,512}, NC 2016 {1008,2016,4032}
//@ work     Ap = T[THREADS*cdiv(min(M,MC),MR)*MR*KC], Bp = T[cdiv(min(N,NC),NR)*NR*KC]
//@ source   Smith et al. 2014, Anatomy of high-performance many-threaded matrix multiplication
//
// After 06_packing: packing B and loop ic are loops over tiles that `team` (ukr.h) gives to threads
// one at a time. Each thread packs its own block of A. If each thread had a fixed half of the
// tiles, both would take as long as the slower thread.
// Tiles: as before, with MC halved so that there are enough blocks to share: 1024 rows are 9
// blocks of 120.
// Intensity: as before for each thread; they share L3 and memory. With one thread it is
// 06_packing.
//
//          B: KC x NC, packed by all            C
//          +-----------------+         +-----------------+
//          |                 |     MC  |    thread 0     |
//          +-----------------+         +-----------------+
//     A    +----+                  MC  |    thread 1     |     whoever is done first
//          | MC |  each thread's       +-----------------+     takes the next block
//          +----+  own copy        MC  |    thread 0     |
#include "ukr.h"

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

// The current block, which the bodies of both loops use.
struct block {
    int64_t M, n, k; // rows of C; columns and depth of the block of B
    T alpha, beta;
    const T *A, *B;
    int64_t lda, ldb;
    T *C;
    int64_t ldc;
    const struct ukr *ukr;
    T *Ap, *Bp;
};

// Ap = m x k of op(A) in panels of MR rows. If the last panel has fewer rows, it is filled with
// copies of its last row.
static void pack_a(int64_t m, int64_t k, const T *A, int64_t lda, T *Ap, int64_t MR)
{
    for (int64_t i0 = 0; i0 < m; i0 += MR)
        for (int64_t p = 0; p < k; p++)
            for (int64_t i = i0; i < i0 + MR; i++) {
                const int64_t row = min(i, m - 1);
                *Ap++ = TA ? A[p * lda + row] : A[row * lda + p];
            }
}

// Tile `tile` of the packing loop: one panel of NR columns of op(B).
static void pack_b(void *context, int64_t tile, int thread)
{
    const struct block *b = context;
    const int64_t NR = b->ukr->nr, j0 = tile * NR;
    T *Bp = b->Bp + j0 * b->k;
    (void)thread;
    for (int64_t p = 0; p < b->k; p++)
        for (int64_t j = j0; j < j0 + NR; j++) {
            const int64_t col = min(j, b->n - 1);
            *Bp++ = TB ? b->B[col * b->ldb + p] : b->B[p * b->ldb + col];
        }
}

// Loops jr and ir: C = alpha * Ap * Bp + beta * C.
static void macro_kernel(int64_t m, int64_t n, int64_t k, T alpha, const T *Ap, const T *Bp, T beta,
                         T *C, int64_t ldc, const struct ukr *ukr)
{
    const int64_t MR = ukr->mr, NR = ukr->nr;
    for (int64_t jr = 0; jr < n; jr += NR)
        for (int64_t ir = 0; ir < m; ir += MR)
            ukr->run(min(MR, m - ir), min(NR, n - jr), k, &alpha, Ap + ir * k, Bp + jr * k, &beta,
                     C + ir * ldc + jr, ldc);
}

// Tile `tile` of loop ic: packs a block of A into this thread's buffer and multiplies it.
static void rows(void *context, int64_t tile, int thread)
{
    const struct block *b = context;
    const int64_t MR = b->ukr->mr, ic = tile * MC, m = min(MC, b->M - ic);
    const int64_t panels = (min(b->M, MC) + MR - 1) / MR;
    T *Ap = b->Ap + thread * panels * MR * KC;
    pack_a(m, b->k, TA ? b->A + ic : b->A + ic * b->lda, b->lda, Ap, MR);
    macro_kernel(m, b->n, b->k, b->alpha, Ap, b->Bp, b->beta, b->C + ic * b->ldc, b->ldc, b->ukr);
}

void threaded(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
              int64_t ldb, T beta, T *C, int64_t ldc, const struct ukr *ukr, struct gr_team *team,
              T *Ap, T *Bp)
{
    for (int64_t jc = 0; jc < N; jc += NC)
        for (int64_t pc = 0; pc == 0 || pc < K; pc += KC) {
            struct block b = {.M = M, .alpha = alpha, .lda = lda, .ldb = ldb, .ldc = ldc};
            b.n = min(NC, N - jc), b.k = min(KC, K - pc);
            b.beta = pc == 0 ? beta : 1;
            b.A = TA ? A + pc * lda : A + pc;
            b.B = TB ? B + jc * ldb + pc : B + pc * ldb + jc;
            b.C = C + jc;
            b.ukr = ukr, b.Ap = Ap, b.Bp = Bp;
            team->run(team, (b.n + ukr->nr - 1) / ukr->nr, pack_b, &b);
            team->run(team, (M + MC - 1) / MC, rows, &b);
        }
}
