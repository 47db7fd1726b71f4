/* dist_gemm.c: redistributes the operands of a product over many ranks, multiplies them, and
 * redistributes the result. SPDX-License-Identifier: MIT */
#include "dist/dist_gemm.h"

#include "core/clock.h"
#include "core/error.h"
#include "dist/dist_pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of one rank's part of a product. */
struct run {
    const struct gr_dist_gemm *gemm;
    const struct gr_dist_plan *plan;
    struct gr_dist_comm *comm;
    struct gr_dist_pipeline pipeline;
    bool in_place[3]; /* the caller's matrix already has the plan's layout */
    char *memory[3][GR_DIST_MEMORIES];
};

static int64_t element_of(enum gradus_type type)
{
    return type == GRADUS_F64 ? 8 : 4;
}

enum gradus_status gr_dist_gemm_plan(const struct gr_dist_gemm *gemm, int64_t ranks,
                                     struct gr_dist_plan *plan, struct gradus_error *error)
{
    const struct gr_dist_problem problem = {gemm->m, gemm->n, gemm->k, element_of(gemm->type)};
    const struct gr_dist_machine machine = {.ranks = ranks,
                                            .flop_per_s = 1e12,
                                            .memory_bytes_per_s = 2e11,
                                            .link_bytes_per_s = 1e10,
                                            .latency_s = 1e-5,
                                            .overlap = true};
    return gr_dist_plan(&problem, &machine, plan, error);
}

static enum gradus_status check_matrix(const struct gr_dist_comm *comm, char name,
                                       const struct gr_dist_matrix *x, int64_t rows, int64_t cols,
                                       struct gradus_error *error)
{
    const struct gr_dist_layout *const layout = &x->layout;
    if (layout->rows != rows || layout->cols != cols)
        return gr_fail(error, GRADUS_INVALID,
                       "dist: %c: found a layout of %" PRId64 "x%" PRId64 ", wanted %" PRId64
                       "x%" PRId64,
                       name, layout->rows, layout->cols, rows, cols);
    if (layout->ranks < 1 || layout->ranks > comm->size)
        return gr_fail(error, GRADUS_INVALID,
                       "dist: %c: found a layout over %" PRId64 " ranks, wanted 1 to %" PRId64,
                       name, layout->ranks, comm->size);
    const int64_t local[2] = {gr_dist_local_size(layout, comm->rank, GR_DIST_ROWS),
                              gr_dist_local_size(layout, comm->rank, GR_DIST_COLS)};
    const int64_t line = local[layout->col_major ? 0 : 1];
    if (local[0] == 0 || local[1] == 0)
        return GRADUS_OK;
    if (x->ld < line)
        return gr_fail(error, GRADUS_INVALID,
                       "dist: ld%c: found %" PRId64 ", wanted at least %" PRId64, name | 32, x->ld,
                       line);
    if (!x->local)
        return gr_fail(error, GRADUS_INVALID,
                       "dist: %c: found a null pointer, wanted this rank's %" PRId64 "x%" PRId64
                       " elements",
                       name, local[0], local[1]);
    return GRADUS_OK;
}

static enum gradus_status check(const struct gr_dist_gemm *g, const struct gr_dist_comm *comm,
                                struct gradus_error *error)
{
    if (g->type != GRADUS_F32 && g->type != GRADUS_F64)
        return gr_fail(error, GRADUS_UNSUPPORTED, "dist: type: found %d, wanted f32 or f64",
                       (int)g->type);
    const bool read = g->alpha != 0 && g->k != 0;
    enum gradus_status status = check_matrix(comm, 'C', &g->c, g->m, g->n, error);
    if (status == GRADUS_OK && read)
        status = check_matrix(comm, 'A', &g->a, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k,
                              error);
    if (status == GRADUS_OK && read)
        status = check_matrix(comm, 'B', &g->b, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n,
                              error);
    return status;
}

/* Writes, for example, ", C cyclic 2x3 of 4x4 at 0,0". */
static void describe_layout(char name, const struct gr_dist_layout *x, char text[80])
{
    static const char *const kinds[] = {"replicated", "blocked", "cyclic", "planned"};
    snprintf(text, 80,
             ", %c %s %" PRId64 "x%" PRId64 "%s of %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64,
             name, kinds[x->kind], x->grid[0], x->grid[1], x->grid_by_cols ? "c" : "", x->block[0],
             x->block[1], x->source[0], x->source[1]);
}

/* Column-major if the columns are divided among the sharers, so that each sharer's part is
 * contiguous. */
struct gr_dist_layout gr_dist_gemm_layout(const struct gr_dist_plan *plan,
                                          enum gr_dist_operand operand)
{
    struct gr_dist_layout layout = gr_dist_layout_planned(plan, operand);
    layout.col_major = plan->split[operand] == (operand == GR_DIST_A ? GR_DIST_K : GR_DIST_N);
    return layout;
}

/* Does the caller's matrix have the plan's layout? Like layouts, the result is the same on all
 * ranks. */
static bool is_there(const struct run *r, enum gr_dist_operand operand,
                     const struct gr_dist_matrix *x, int trans)
{
    const struct gr_dist_layout *const layout = &x->layout;
    const struct gr_dist_layout want = gr_dist_gemm_layout(r->plan, operand);
    if (trans || layout->kind != GR_DIST_PLANNED || layout->operand != operand ||
        layout->transposed || layout->col_major != want.col_major)
        return false;
    const struct gr_dist_plan *const p = layout->plan, *const q = r->plan;
    return p->problem.m == q->problem.m && p->problem.n == q->problem.n &&
           p->problem.k == q->problem.k && p->grid[0] == q->grid[0] && p->grid[1] == q->grid[1] &&
           p->grid[2] == q->grid[2] && p->split[operand] == q->split[operand];
}

enum gradus_status gr_dist_gemm_check(const struct gr_dist_gemm *g, const struct gr_dist_comm *comm,
                                      char asked[GR_DIST_ASKED], struct gradus_error *error)
{
    char layouts[3][80];
    enum gradus_status status = check(g, comm, error);
    if (status != GRADUS_OK)
        return status;
    describe_layout('A', &g->a.layout, layouts[0]);
    describe_layout('B', &g->b.layout, layouts[1]);
    describe_layout('C', &g->c.layout, layouts[2]);
    snprintf(asked, GR_DIST_ASKED,
             "%s%s%" PRId64 "x%" PRId64 "x%" PRId64 " %s %s%s alpha %.9g beta %.9g%s%s%s",
             g->asked ? g->asked : "", g->asked ? ", " : "", g->m, g->n, g->k,
             g->type == GRADUS_F64 ? "f64" : "f32", g->trans_a ? "t" : "n", g->trans_b ? "t" : "n",
             g->alpha, g->beta, layouts[0], layouts[1], layouts[2]);
    return GRADUS_OK;
}

/* Appends what else all ranks must have in common. */
static void describe_plan(const struct run *r, char asked[GR_DIST_ASKED])
{
    const struct gr_dist_plan *const plan = r->plan;
    const size_t length = strlen(asked);
    snprintf(asked + length, GR_DIST_ASKED - length,
             ", grid %" PRId64 "x%" PRId64 "x%" PRId64 ", %" PRId64
             " %ssteps of %c, in place %d%d%d",
             plan->grid[0], plan->grid[1], plan->grid[2], plan->steps,
             plan->overlap ? "overlapped " : "", "mnk"[plan->step_dim], r -> in_place[0],
             r -> in_place[1], r -> in_place[2]);
}

/* A matrix in the plan's layout is used in place if its local array has no padding. */
static char *own_memory(const struct gr_dist_panel *panel, const struct gr_dist_matrix *x)
{
    const int64_t rows = panel->own.row_end - panel->own.row;
    const int64_t cols = panel->own.col_end - panel->own.col;
    return x->ld == (panel->by_cols ? rows : cols) ? x->local : NULL;
}

static enum gradus_status allocate(struct run *r, struct gradus_error *error)
{
    const struct gr_dist_matrix *const given[] = {&r->gemm->a, &r->gemm->b, &r->gemm->c};
    for (int x = 0; x < 3; x++) {
        struct gr_dist_panel *const panel = &r->pipeline.panels[x];
        size_t bytes[GR_DIST_MEMORIES];
        gr_dist_panel_init(panel, r->plan, r->comm->rank, (enum gr_dist_operand)x, bytes);
        panel->owned = r->in_place[x] ? own_memory(panel, given[x]) : NULL;
        for (int i = panel->owned ? GR_DIST_BUFFER : GR_DIST_OWNED; i < GR_DIST_MEMORIES; i++) {
            r->memory[x][i] = calloc(bytes[i] + 1, 1);
            if (!r->memory[x][i])
                return gr_fail_memory(error, "this rank's part of the product", bytes[i]);
        }
        if (!panel->owned)
            panel->owned = r->memory[x][GR_DIST_OWNED];
        panel->buffer[0] = r->memory[x][GR_DIST_BUFFER];
        panel->buffer[1] = r->memory[x][GR_DIST_SECOND];
        panel->received = r->memory[x][GR_DIST_RECEIVED];
    }
    return GRADUS_OK;
}

/* Describes this rank's part of an operand in the plan's layout. */
static struct gr_dist_matrix planned(const struct run *r, enum gr_dist_operand operand)
{
    const struct gr_dist_panel *const panel = &r->pipeline.panels[operand];
    struct gr_dist_matrix x = {gr_dist_gemm_layout(r->plan, operand), panel->owned, 0};
    x.ld =
        panel->by_cols ? panel->own.row_end - panel->own.row : panel->own.col_end - panel->own.col;
    return x;
}

/* Copies between two local arrays of the same layout, one row (column) after another. */
static void copy_lines(const struct run *r, enum gr_dist_operand operand,
                       const struct gr_dist_matrix *to, const struct gr_dist_matrix *from)
{
    const struct gr_dist_panel *const panel = &r->pipeline.panels[operand];
    const int64_t rows = panel->own.row_end - panel->own.row;
    const int64_t cols = panel->own.col_end - panel->own.col;
    const int64_t line = panel->by_cols ? rows : cols, lines = panel->by_cols ? cols : rows;
    const size_t element = (size_t)r->plan->problem.element_bytes;
    for (int64_t i = 0; i < lines && line > 0 && to->local != from->local; i++)
        memcpy((char *)to->local + element * (size_t)(i * to->ld),
               (const char *)from->local + element * (size_t)(i * from->ld),
               element * (size_t)line);
}

static enum gradus_status bring(struct run *r, enum gr_dist_operand operand,
                                const struct gr_dist_matrix *from, int trans,
                                struct gradus_error *error)
{
    const struct gr_dist_matrix to = planned(r, operand);
    struct gr_dist_matrix op = *from;
    if (r->in_place[operand]) {
        copy_lines(r, operand, &to, from);
        return GRADUS_OK;
    }
    if (trans)
        op.layout = gr_dist_layout_transposed(&from->layout);
    return gr_dist_redistribute(r->comm, &op, &to, r->plan->problem.element_bytes, error);
}

static enum gradus_status bring_back(struct run *r, struct gradus_error *error)
{
    const struct gr_dist_matrix c = planned(r, GR_DIST_C);
    if (!r->in_place[GR_DIST_C])
        return gr_dist_redistribute(r->comm, &c, &r->gemm->c, r->plan->problem.element_bytes,
                                    error);
    copy_lines(r, GR_DIST_C, &r->gemm->c, &c);
    return gr_dist_agree(r->comm, GRADUS_OK, NULL, error); /* all ranks have their part */
}

static enum gradus_status bring_all(struct run *r, struct gradus_error *error)
{
    const struct gr_dist_gemm *const g = r->gemm;
    enum gradus_status status = GRADUS_OK;
    if (g->alpha != 0 && g->k != 0) {
        status = bring(r, GR_DIST_A, &g->a, g->trans_a, error);
        if (status == GRADUS_OK)
            status = bring(r, GR_DIST_B, &g->b, g->trans_b, error);
    }
    if (status == GRADUS_OK && g->beta != 0)
        status = bring(r, GR_DIST_C, &g->c, 0, error);
    return status;
}

static enum gradus_status run_all(struct run *r, struct gradus_error *error)
{
    const struct gr_dist_gemm *const g = r->gemm;
    struct gr_dist_pipeline *const p = &r->pipeline;
    p->type = g->type, p->alpha = g->alpha, p->beta = g->beta, p->threads = g->threads;
    p->plan = r->plan, p->comm = r->comm;
    const int64_t begin = gr_now_ns();
    enum gradus_status status = bring_all(r, error);
    const int64_t brought = gr_now_ns();
    if (status == GRADUS_OK && r->comm->rank < r->plan->ranks)
        status = gr_dist_pipeline_run(p, error);
    if (status != GRADUS_OK)
        return status;
    const int64_t multiplied = gr_now_ns();
    status = bring_back(r, error);
    const int64_t end = gr_now_ns();
    p->timeline.bring_s = (double)(brought - begin + end - multiplied) * 1e-9;
    p->timeline.all_s = (double)(end - begin) * 1e-9;
    if (g->timeline)
        *g->timeline = p->timeline;
    return status;
}

enum gradus_status gr_dist_gemm_run(const struct gr_dist_gemm *gemm, struct gr_dist_comm *comm,
                                    struct gradus_error *error)
{
    struct gr_dist_plan plan = {.grid = {1, 1, 1}, .ranks = 1, .steps = 1};
    struct run r = {.gemm = gemm, .plan = &plan, .comm = comm};
    struct gradus_error own = {0};
    char asked[GR_DIST_ASKED] = "";
    error = error ? error : &own; /* holds what other ranks are told */
    enum gradus_status status = gr_dist_gemm_check(gemm, comm, asked, error);
    if (status == GRADUS_OK && !gemm->plan)
        status = gr_dist_gemm_plan(gemm, comm->size, &plan, error);
    else if (status == GRADUS_OK)
        plan = *gemm->plan;
    if (status == GRADUS_OK) {
        r.in_place[GR_DIST_A] = is_there(&r, GR_DIST_A, &gemm->a, gemm->trans_a);
        r.in_place[GR_DIST_B] = is_there(&r, GR_DIST_B, &gemm->b, gemm->trans_b);
        r.in_place[GR_DIST_C] = is_there(&r, GR_DIST_C, &gemm->c, 0);
        describe_plan(&r, asked);
        status = allocate(&r, error);
    }
    status = gr_dist_agree(comm, status, asked, error);
    if (status == GRADUS_OK)
        status = run_all(&r, error);
    for (int x = 0; x < 3; x++)
        for (int i = 0; i < GR_DIST_MEMORIES; i++)
            free(r.memory[x][i]);
    return status;
}
