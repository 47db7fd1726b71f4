/* dist_stationary.c: sends each rank the rows of op(A) and the columns of op(B) that its part of C
 * needs, and multiplies there. SPDX-License-Identifier: MIT */
#include "dist/dist_stationary.h"

#include "core/error.h"

#include <stdlib.h>

static int64_t element_of(enum gradus_type type)
{
    return type == GRADUS_F64 ? 8 : 4;
}

static bool is_dealt_out(const struct gr_dist_layout *c)
{
    return (c->kind == GR_DIST_BLOCKED || c->kind == GR_DIST_CYCLIC) &&
           c->source[GR_DIST_ROWS] != GR_DIST_EVERY && c->source[GR_DIST_COLS] != GR_DIST_EVERY;
}

/* The layout in which each rank has the rows of op(A) that it has of C, and all its columns; op(B)
 * likewise. */
static struct gr_dist_layout layout_beside(const struct gr_dist_gemm *g,
                                           enum gr_dist_operand operand)
{
    const enum gr_dist_axis whole = operand == GR_DIST_A ? GR_DIST_COLS : GR_DIST_ROWS;
    struct gr_dist_layout layout = g->c.layout;
    if (whole == GR_DIST_COLS)
        layout.cols = g->k;
    else
        layout.rows = g->k;
    layout.source[whole] = GR_DIST_EVERY;
    return layout;
}

/* ---- The model ---- */

/* The time to send or receive words, which includes packing and unpacking: each reads and writes
 * every word once. */
static double time_of_moving(const struct gr_dist_machine *machine, double bytes, double messages)
{
    const double touched = 4;
    return bytes / machine->link_bytes_per_s + touched * bytes / machine->memory_bytes_per_s +
           messages * machine->latency_s;
}

bool gr_dist_stationary_is_faster(const struct gr_dist_gemm *gemm,
                                  const struct gr_dist_machine *machine,
                                  const struct gr_dist_plan *plan)
{
    const struct gr_dist_layout *const c = &gemm->c.layout;
    const double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
    const double bytes = (double)element_of(gemm->type), ranks = (double)machine->ranks;
    if (!is_dealt_out(c))
        return false;
    const double down = (double)c->grid[GR_DIST_ROWS], across = (double)c->grid[GR_DIST_COLS];
    const double words = m / down * k + k * n / across;
    if (machine->memory_bytes > 0 && 2 * words * bytes > (double)machine->memory_bytes)
        return false;
    const double product = 2 * m * n * k / (down * across) / machine->flop_per_s;
    const double stays = product + time_of_moving(machine, words * bytes, 2 * (down + across - 2));
    const double passes = gemm->beta != 0 ? 2 : 1; /* how often C is redistributed */
    const double brought = (m * k + k * n + passes * m * n) / ranks;
    const double moves =
        plan->time_s + time_of_moving(machine, brought * bytes, (2 + passes) * (down + across - 2));
    return stays < moves;
}

/* ---- The run ---- */

/* Allocates a dense local array for the operand. */
static enum gradus_status allocate(const struct gr_dist_gemm *g, enum gr_dist_operand operand,
                                   int64_t rank, struct gr_dist_matrix *to,
                                   struct gradus_error *error)
{
    *to = (struct gr_dist_matrix){layout_beside(g, operand), NULL, 0};
    const int64_t rows = gr_dist_local_size(&to->layout, rank, GR_DIST_ROWS);
    const int64_t cols = gr_dist_local_size(&to->layout, rank, GR_DIST_COLS);
    const size_t bytes = (size_t)rows * (size_t)cols * (size_t)element_of(g->type);
    to->ld = to->layout.col_major ? rows : cols;
    to->ld = to->ld > 0 ? to->ld : 1;
    to->local = malloc(bytes + 1);
    return to->local ? GRADUS_OK
                     : gr_fail_memory(error, "this rank's rows of A and columns of B", bytes);
}

/* Describes how op(A) or op(B) is redistributed from the caller's layout to that of C. */
static enum gradus_status prepare(const struct gr_dist_gemm *g, enum gr_dist_operand operand,
                                  int64_t rank, struct gr_dist_change *change,
                                  struct gradus_error *error)
{
    const bool is_a = operand == GR_DIST_A;
    change->from = is_a ? g->a : g->b;
    if (is_a ? g->trans_a : g->trans_b)
        change->from.layout = gr_dist_layout_transposed(&change->from.layout);
    return allocate(g, operand, rank, &change->to, error);
}

static enum gradus_status multiply(const struct gr_dist_gemm *g, int64_t rank,
                                   const struct gr_dist_matrix *a, const struct gr_dist_matrix *b,
                                   struct gradus_error *error)
{
    const bool read = a->local != NULL;
    struct gradus_gemm local;
    gradus_gemm_init(&local, g->type);
    local.layout = g->c.layout.col_major ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    local.m = gr_dist_local_size(&g->c.layout, rank, GR_DIST_ROWS);
    local.n = gr_dist_local_size(&g->c.layout, rank, GR_DIST_COLS);
    local.k = read ? g->k : 0;
    local.alpha = g->alpha, local.beta = g->beta;
    local.a = a->local, local.lda = read || local.m < 1 ? a->ld : local.m;
    local.b = b->local, local.ldb = read || local.n < 1 ? b->ld : local.n;
    local.c = g->c.local, local.ldc = g->c.ld;
    local.threads = g->threads;
    return local.m > 0 && local.n > 0 ? gradus_gemm_run(&local, error) : GRADUS_OK;
}

/* Frees the arrays. After a failure to allocate, the transport, too, needs memory to notify the
 * others. */
static void release(struct gr_dist_change changes[2])
{
    for (int i = 0; i < 2; i++) {
        free(changes[i].to.local);
        changes[i].to.local = NULL;
    }
}

enum gradus_status gr_dist_stationary_run(const struct gr_dist_gemm *gemm,
                                          struct gr_dist_comm *comm, struct gradus_error *error)
{
    struct gr_dist_change changes[2] = {{.to = {.ld = 1}}, {.to = {.ld = 1}}};
    struct gradus_error own = {0};
    char asked[GR_DIST_ASKED] = "";
    error = error ? error : &own; /* holds what other ranks are told */
    const bool read = gemm->alpha != 0 && gemm->k > 0;
    enum gradus_status status = gr_dist_gemm_check(gemm, comm, asked, error);
    if (status == GRADUS_OK && read)
        status = prepare(gemm, GR_DIST_A, comm->rank, &changes[0], error);
    if (status == GRADUS_OK && read)
        status = prepare(gemm, GR_DIST_B, comm->rank, &changes[1], error);
    if (status != GRADUS_OK)
        release(changes);
    status = gr_dist_redistribute_all(comm, changes, read ? 2 : 0, element_of(gemm->type), status,
                                      asked, error);
    if (status == GRADUS_OK) {
        status = multiply(gemm, comm->rank, &changes[0].to, &changes[1].to, error);
        status = gr_dist_agree(comm, status, NULL, error);
    }
    release(changes);
    return status;
}
