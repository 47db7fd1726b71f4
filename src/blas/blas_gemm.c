/* blas_gemm.c: BLAS's argument checks, in BLAS's order. SPDX-License-Identifier: MIT */
#include "blas/blas_gemm.h"

#include "core/clock.h"
#include "blas/ledger_calls.h"

#include <stddef.h>

static int64_t at_least_1(int64_t x)
{
    return x > 1 ? x : 1;
}

int gr_blas_check(const struct gr_blas_gemm *gemm)
{
    const struct gr_plain_gemm *g = &gemm->gemm;
    const int64_t rows_a = g->trans_a ? g->k : g->m, rows_b = g->trans_b ? g->n : g->k;
    if (g->trans_a < 0)
        return 1;
    if (g->trans_b < 0)
        return 2;
    if (g->m < 0)
        return 3;
    if (g->n < 0)
        return 4;
    if (g->k < 0)
        return 5;
    if (g->lda < at_least_1(rows_a))
        return 8;
    if (g->ldb < at_least_1(rows_b))
        return 10;
    if (g->ldc < at_least_1(g->m))
        return 13;
    return 0;
}

struct gr_blas_gemm gr_blas_exchanged(const struct gr_blas_gemm *gemm)
{
    const struct gr_plain_gemm *g = &gemm->gemm;
    return (struct gr_blas_gemm){{.type = g->type,
                                  .trans_a = g->trans_b,
                                  .trans_b = g->trans_a,
                                  .m = g->n,
                                  .n = g->m,
                                  .k = g->k,
                                  .alpha = g->alpha,
                                  .beta = g->beta,
                                  .a = g->b,
                                  .b = g->a,
                                  .c = g->c,
                                  .lda = g->ldb,
                                  .ldb = g->lda,
                                  .ldc = g->ldc},
                                 .routine = gemm->routine,
                                 .exchanged = 1};
}

struct gradus_gemm gr_blas_problem(const struct gr_plain_gemm *g, enum gradus_layout layout)
{
    return (struct gradus_gemm){.a_type = g->type,
                                .b_type = g->type,
                                .c_type = g->type,
                                .sum_type = g->type,
                                .layout = layout,
                                .trans_a = g->trans_a,
                                .trans_b = g->trans_b,
                                .m = g->m,
                                .n = g->n,
                                .k = g->k,
                                .alpha = g->alpha,
                                .beta = g->beta,
                                .a = g->a,
                                .lda = g->lda,
                                .b = g->b,
                                .ldb = g->ldb,
                                .c = g->c,
                                .ldc = g->ldc};
}

/* A null pointer can still make it fail. BLAS has no report for that, so nothing is computed then.
 */
static void multiply(const struct gr_plain_gemm *g)
{
    const struct gradus_gemm gemm = gr_blas_problem(g, GRADUS_COL_MAJOR);
    gr_cpu_gemm_blas(&gemm);
}

/* The sizes as the caller named them. */
static void count(struct gr_ledger *ledger, const struct gr_blas_gemm *gemm, int64_t start_ns)
{
    const struct gr_plain_gemm *g = &gemm->gemm;
    const int x = gemm->exchanged;
    const struct gr_ledger_key key = {.trans_a = (uint8_t)(x ? g->trans_b : g->trans_a),
                                      .trans_b = (uint8_t)(x ? g->trans_a : g->trans_b),
                                      .row_major = (uint8_t)x,
                                      .m = x ? g->n : g->m,
                                      .n = x ? g->m : g->n,
                                      .k = g->k};
    gr_ledger_count(ledger, gemm->routine, key, 1, start_ns);
}

void gr_blas_run(const struct gr_blas_gemm *g)
{
    struct gr_ledger *const ledger = gr_ledger_on();
    if (!ledger) {
        multiply(&g->gemm);
        return;
    }
    const int64_t start_ns = gr_now_ns();
    if (!gr_gemm_plain(g->gemm, NULL))
        multiply(&g->gemm);
    count(ledger, g, start_ns);
}

void gr_blas_run_batch(const struct gradus_gemm *g, const char *routine)
{
    struct gr_ledger *const ledger = gr_ledger_on();
    const int64_t start_ns = ledger ? gr_now_ns() : 0;
    gr_cpu_gemm_blas(g);
    if (ledger)
        gr_ledger_count_problem(ledger, routine, g, start_ns);
}
