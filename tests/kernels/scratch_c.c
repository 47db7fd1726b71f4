// scratch_c.c: every line of the language that is for CPUs. SPDX-License-Identifier: MIT
//@ title    Scratch
//@ after    plain
//@ idea     what a CPU kernel may be handed, all of it
//@ source   tests of the front matter
//@ type     f32, f64
//@ trans    nn, nt, tn, tt
//@ isa      avx2, fma
//@ flags    -funroll-loops -fno-math-errno
//@ param    MC 96 {48,96}, KC 64 {32,64,128}
//@ let      PANEL = MC*KC
//@ require  MC%4==0
//@ arg      blocks = max(1, cdiv(M, MC))
//@ arg      workers = THREADS
//@ work     packed = T[PANEL+M*0], sums = f64[blocks*MR] zero

/* packed: MC x KC of op(A), row after row
 *
 *      KC
 *    +----+
 * MC |    |
 *    +----+
 */

#include <stddef.h>
#include <stdint.h>

struct ukr;
struct gr_team;

static T at(const T *x, int64_t ld, int trans, int64_t i, int64_t j)
{
    return trans ? x[j * ld + i] : x[i * ld + j];
}

void scratch(const struct ukr *ukr, struct gr_team *team, double *sums, T *packed, int blocks,
             size_t workers, int m, long n, unsigned k, T alpha, const T *restrict a, int lda,
             const T b[], int64_t ldb, const T beta, T *const c, ptrdiff_t ldc)
{
    (void)ukr, (void)team, (void)sums, (void)workers, (void)blocks;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            T sum = 0;
            for (int64_t p = 0; p < (int64_t)k; p++) {
                packed[p % PANEL] = at(a, lda, TA, i, p);
                sum += packed[p % PANEL] * at(b, ldb, TB, p, j);
            }
            T *to = &c[i * ldc + j];
            *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
        }
}
