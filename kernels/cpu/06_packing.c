// 06_packing.c: operands are copied into the order in which the micro-kernel reads them.
// SPDX-License-Identifier: MIT
//@ title    Packing: BLIS's five loops
//@ after    05_simd
//@ idea     packed panels are read with stride 1: no cache conflicts, no TLB misses, no strides
//@ type     f32, f64
//@ trans    nn, nt, tn, tt
//@ param    MC 240 {120,240,480}, KC 384 {128,256,384,512}, NC 2016 {1008,2016,4032}
//@ work     Ap = T[cdiv(min(M,MC),MR)*MR*KC], Bp = T[cdiv(min(N,NC),NR)*NR*KC]
//@ source   Goto and van de Geijn 2008; Van Zee and van de Geijn 2015
//
// After 05_simd: the register tile is now the micro-kernel of this machine (`ukr`, MR x NR: see
// ukr.h), which also computes the edges; the five loops are around it, and A and B are packed.
// Transposed operands take no more time, because packing reads them in either order.
// Tiles: NC x KC of B in L3 (3 MB in f32), MC x KC of A in L2 (360 KB), NR x KC of B in L1 or L2,
// MR x NR of C in registers.
// Intensity: a panel of B is read MC/MR times from L1 or L2, a block of A NC/NR times from L2.
// Packing copies each element of B once and each of A N/NC times: 2*M*N*K FLOP for M*K + K*N
// copies, if N is at most NC. It is bounded by the multiply-add units.
//
//     for jc in 0, NC..N        +--NC--+                        C: M x N
//       for pc in 0, KC..K      |  B   | KC -> Bp      MC +--------------+
//         for ic in 0, MC..M    +------+                  |  |NR|        |
//           for jr in 0, NR..NC        A: MC x KC -> Ap   |  +--+ MR     | <- one `ukr` call
//             for ir in 0, MR..MC                         +--------------+
//
//     Ap: panels of MR rows,    0  MR 2MR       Bp: panels of NR columns,   0  1  2 .. NR-1
//     stored k by k:            1  .             stored k by k:             NR ..
//                               :  .
//                              MR-1
#include "ukr.h"

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

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

// Bp = k x n of op(B) in panels of NR columns. If the last panel has fewer columns, it is filled
// with copies of its last column.
static void pack_b(int64_t k, int64_t n, const T *B, int64_t ldb, T *Bp, int64_t NR)
{
    for (int64_t j0 = 0; j0 < n; j0 += NR)
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = j0; j < j0 + NR; j++) {
                const int64_t col = min(j, n - 1);
                *Bp++ = TB ? B[col * ldb + p] : B[p * ldb + col];
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

void packing(int64_t M, int64_t N, int64_t K, T alpha, const T *A, int64_t lda, const T *B,
             int64_t ldb, T beta, T *C, int64_t ldc, const struct ukr *ukr, T *Ap, T *Bp)
{
    for (int64_t jc = 0; jc < N; jc += NC)
        for (int64_t pc = 0; pc == 0 || pc < K; pc += KC) { // once with k = 0: C = beta * C
            const int64_t n = min(NC, N - jc), k = min(KC, K - pc);
            pack_b(k, n, TB ? B + jc * ldb + pc : B + pc * ldb + jc, ldb, Bp, ukr->nr);
            for (int64_t ic = 0; ic < M; ic += MC) {
                const int64_t m = min(MC, M - ic);
                pack_a(m, k, TA ? A + pc * lda + ic : A + ic * lda + pc, lda, Ap, ukr->mr);
                // The first block of k applies beta; the others add to what the first one wrote.
                macro_kernel(m, n, k, alpha, Ap, Bp, pc == 0 ? beta : 1, C + ic * ldc + jc, ldc,
                             ukr);
            }
        }
}
