/* pblas_gemm.c: pdgemm_ and psgemm_, with ScaLAPACK's arguments. SPDX-License-Identifier: MIT
 *
 * The product is that of gradus_gemm_dist_run, over the communicator of the BLACS context, of which
 * the plug-in keeps a duplicate until the context is freed. */
#include "blas/ledger_calls.h"
#include "core/clock.h"
#include "core/error.h"
#include "dist/dist_comm.h"
#include "pblas/pblas_check.h"

#include <inttypes.h>
#include <stdio.h>

/* What differs between the types. */
struct values {
    enum gradus_type type;
    double alpha, beta;
    const void *a, *b;
    void *c;
};

static struct gradus_dist_matrix matrix_of(const struct gr_pblas_matrix *x, const void *local,
                                           const struct gr_pblas_grid *grid)
{
    return (struct gradus_dist_matrix){.distribution = GRADUS_CYCLIC,
                                       .grid_rows = grid->rows,
                                       .grid_cols = grid->cols,
                                       .desc = x->desc,
                                       .row = *x->i - 1,
                                       .col = *x->j - 1,
                                       .local = (void *)(uintptr_t)local};
}

/* The end that this process has of the grid's communicator: BLACS numbers its ranks row by row. */
static enum gradus_status find_comm(struct gr_pblas_grid *grid, struct gradus_comm *comm,
                                    struct gradus_error *error)
{
    gr_pblas_find_comm(grid);
    enum gradus_status status = gr_dist_mpi_load(NULL, &comm->plugin, error);
    if (status == GRADUS_OK)
        status = comm->plugin->find(grid->mpi_comm, &comm->end, error);
    const int64_t wanted = (int64_t)grid->row * grid->cols + grid->col;
    if (status == GRADUS_OK && comm->end.rank != wanted)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "found rank %" PRId64 " at %d,%d of a grid of %dx%d, wanted rank %" PRId64
                       "; this BLACS numbers processes in another order",
                       comm->end.rank, grid->row, grid->col, grid->rows, grid->cols, wanted);
    return status;
}

/* All ranks have the same error. Rank 0 reports it and ends all; the others wait for that. */
static void end_all(struct gradus_comm *comm, const struct gr_pblas_grid *grid, const char *routine,
                    const char *text)
{
    char line[600], never;
    const struct gr_dist_message message = {0, &never, 1};
    snprintf(line, sizeof line, "%s: %s", routine, text);
    if (comm->end.rank == 0)
        comm->end.abort(&comm->end, line);
    else
        comm->end.exchange(&comm->end, NULL, 0, &message, 1, NULL);
    gr_pblas_die(grid, routine, text); /* where MPI fails in that, too */
}

static void multiply(const struct gr_pblas_call *call, const struct values *x,
                     struct gr_pblas_grid *grid)
{
    struct gradus_comm comm = {0};
    struct gradus_error error = {0};
    struct gradus_gemm_dist g;
    if (find_comm(grid, &comm, &error) != GRADUS_OK)
        gr_pblas_die(grid, call->routine, error.text);
    gradus_gemm_dist_init(&g, x->type);
    g.trans_a = gr_pblas_trans(call->trans_a);
    g.trans_b = gr_pblas_trans(call->trans_b);
    g.m = *call->m, g.n = *call->n, g.k = *call->k;
    g.alpha = x->alpha, g.beta = x->beta;
    g.a = matrix_of(&call->a, x->a, grid);
    g.b = matrix_of(&call->b, x->b, grid);
    g.c = matrix_of(&call->c, x->c, grid);
    if (gradus_gemm_dist_run(&g, &comm, &error) != GRADUS_OK)
        end_all(&comm, grid, call->routine, error.text);
}

/* The ledger of `gradus exec`, once it has been taken from the local products, which would count
 * their part of the call again. They are in this library's own copy of libgradus, so that no other
 * calls are lost. */
static struct gr_ledger *take_ledger(void)
{
    static _Atomic(struct gr_ledger *) taken;
    struct gr_ledger *const ledger = atomic_exchange(&gr_ledger_shared, NULL);
    if (ledger)
        atomic_store(&taken, ledger);
    return atomic_load(&taken);
}

/* Every process counts its call and its time in it. */
static void count(struct gr_ledger *ledger, const struct gr_pblas_call *call, const char *symbol,
                  int64_t start_ns)
{
    if (!ledger)
        return;
    const struct gr_ledger_key key = {.trans_a = (uint8_t)gr_pblas_trans(call->trans_a),
                                      .trans_b = (uint8_t)gr_pblas_trans(call->trans_b),
                                      .m = *call->m,
                                      .n = *call->n,
                                      .k = *call->k};
    gr_ledger_count(ledger, symbol, key, 1, start_ns);
}

static void run(const struct gr_pblas_call *call, const struct values *x, const char *symbol)
{
    const int64_t start_ns = gr_now_ns();
    struct gr_ledger *const ledger = take_ledger();
    struct gr_pblas_grid grid;
    struct gradus_error error = {0};
    char text[GR_PBLAS_TEXT];
    if (gr_pblas_grid_of(call->a.desc[1], &grid, &error) != GRADUS_OK)
        gr_pblas_die(&grid, call->routine, error.text);
    const int info = gr_pblas_check(call, &grid, text);
    if (info != 0) {
        gr_pblas_refuse(&grid, call->routine, info, text);
        return;
    }
    const bool nothing =
        *call->m == 0 || *call->n == 0 || ((x->alpha == 0 || *call->k == 0) && x->beta == 1);
    if (!nothing)
        multiply(call, x, &grid);
    count(ledger, call, symbol, start_ns);
}

/* Fortran passes every argument's address; the lengths of TRANSA and TRANSB, which follow the
 * others, are not read. */
#define PBLAS_GEMM(symbol, routine_name, real, real_type)                                          \
    __attribute__((visibility("default"))) void symbol(                                            \
        const char *transa, const char *transb, const int *m, const int *n, const int *k,          \
        const real *alpha, const real *a, const int *ia, const int *ja, const int *desca,          \
        const real *b, const int *ib, const int *jb, const int *descb, const real *beta, real *c,  \
        const int *ic, const int *jc, const int *descc);                                           \
    void symbol(const char *transa, const char *transb, const int *m, const int *n, const int *k,  \
                const real *alpha, const real *a, const int *ia, const int *ja, const int *desca,  \
                const real *b, const int *ib, const int *jb, const int *descb, const real *beta,   \
                real *c, const int *ic, const int *jc, const int *descc)                           \
    {                                                                                              \
        const struct gr_pblas_call call = {                                                        \
            routine_name,    transa,          transb,         m, n, k,                             \
            {ia, ja, desca}, {ib, jb, descb}, {ic, jc, descc}};                                    \
        const struct values values = {real_type, (double)*alpha, (double)*beta, a, b, c};          \
        run(&call, &values, #symbol);                                                              \
    }

PBLAS_GEMM(pdgemm_, "PDGEMM", double, GRADUS_F64)
PBLAS_GEMM(psgemm_, "PSGEMM", float, GRADUS_F32)
