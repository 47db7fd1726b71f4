/* dist_gemm.c: the steps of a product over many ranks. SPDX-License-Identifier: MIT */
#include "dist/dist_gemm.h"

#include "core/error.h"
#include "dist/dist_panels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OWNED, BUFFER, RECEIVED, BUFFERS };

/* One rank's part of a product that is under way. */
struct run {
    const struct gr_dist_gemm *gemm;
    const struct gr_dist_plan *plan;
    struct gr_dist_comm *comm;
    struct gr_dist_panel panels[3];
    char *memory[3][BUFFERS];
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
                                            .latency_s = 2e-6};
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

/* "cyclic 2x3 of 4x4 from 0,0" */
static void describe_layout(char name, const struct gr_dist_layout *x, char text[80])
{
    static const char *const kinds[] = {"replicated", "blocked", "cyclic", "planned"};
    snprintf(text, 80,
             ", %c %s %" PRId64 "x%" PRId64 "%s of %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64,
             name, kinds[x->kind], x->grid[0], x->grid[1], x->grid_by_cols ? "c" : "", x->block[0],
             x->block[1], x->source[0], x->source[1]);
}

/* What all ranks must have in common. */
static void describe(const struct gr_dist_gemm *g, const struct gr_dist_plan *plan, char *text,
                     size_t size)
{
    char layouts[3][80];
    describe_layout('A', &g->a.layout, layouts[0]);
    describe_layout('B', &g->b.layout, layouts[1]);
    describe_layout('C', &g->c.layout, layouts[2]);
    snprintf(text, size,
             "%" PRId64 "x%" PRId64 "x%" PRId64 " %s %s%s alpha %.9g beta %.9g%s%s%s, grid %" PRId64
             "x%" PRId64 "x%" PRId64 ", %" PRId64 " steps",
             g->m, g->n, g->k, g->type == GRADUS_F64 ? "f64" : "f32", g->trans_a ? "t" : "n",
             g->trans_b ? "t" : "n", g->alpha, g->beta, layouts[0], layouts[1], layouts[2],
             plan->grid[0], plan->grid[1], plan->grid[2], plan->steps);
}

static enum gradus_status allocate(struct run *r, struct gradus_error *error)
{
    for (int x = 0; x < 3; x++) {
        struct gr_dist_panel *const panel = &r->panels[x];
        size_t bytes[BUFFERS];
        gr_dist_panel_init(panel, r->plan, r->comm->rank, (enum gr_dist_operand)x, bytes);
        for (int i = 0; i < BUFFERS; i++) {
            r->memory[x][i] = calloc(bytes[i] + 1, 1);
            if (!r->memory[x][i])
                return gr_fail_memory(error, "this rank's part of the product", bytes[i]);
        }
        panel->owned = r->memory[x][OWNED];
        panel->buffer = r->memory[x][BUFFER];
        panel->received = r->memory[x][RECEIVED];
    }
    return GRADUS_OK;
}

/* The operand in the plan's layout, as this rank holds it. */
static struct gr_dist_matrix planned(const struct run *r, enum gr_dist_operand operand)
{
    const struct gr_dist_panel *const panel = &r->panels[operand];
    struct gr_dist_matrix x = {gr_dist_layout_planned(r->plan, operand), panel->owned, 0};
    x.layout.col_major = panel->by_cols;
    x.ld =
        panel->by_cols ? panel->own.row_end - panel->own.row : panel->own.col_end - panel->own.col;
    return x;
}

static enum gradus_status bring(struct run *r, enum gr_dist_operand operand,
                                const struct gr_dist_matrix *from, int trans,
                                struct gradus_error *error)
{
    const struct gr_dist_matrix to = planned(r, operand);
    struct gr_dist_matrix op = *from;
    if (trans)
        op.layout = gr_dist_layout_transposed(&from->layout);
    return gr_dist_redistribute(r->comm, &op, &to, r->plan->problem.element_bytes, error);
}

/* The local product. All matrices are taken in the order of C. */
static enum gradus_status multiply(struct run *r, const struct gr_dist_box *box, double beta,
                                   struct gradus_error *error)
{
    struct gr_dist_view view[3];
    for (int x = 0; x < 3; x++)
        view[x] = gr_dist_panel_view(&r->panels[x], r->plan,
                                     gr_dist_side_of(box, (enum gr_dist_operand)x));
    struct gradus_gemm g;
    gradus_gemm_init(&g, r->gemm->type);
    const bool by_cols = view[GR_DIST_C].by_cols;
    g.layout = by_cols ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.m = box->end[GR_DIST_M] - box->begin[GR_DIST_M];
    g.n = box->end[GR_DIST_N] - box->begin[GR_DIST_N];
    g.k = box->end[GR_DIST_K] - box->begin[GR_DIST_K];
    g.trans_a = view[GR_DIST_A].by_cols != by_cols;
    g.trans_b = view[GR_DIST_B].by_cols != by_cols;
    g.alpha = r->gemm->alpha;
    g.beta = beta;
    g.a = view[GR_DIST_A].data, g.lda = view[GR_DIST_A].ld;
    g.b = view[GR_DIST_B].data, g.ldb = view[GR_DIST_B].ld;
    g.c = view[GR_DIST_C].data, g.ldc = view[GR_DIST_C].ld;
    g.threads = r->gemm->threads;
    if (g.m == 0 || g.n == 0)
        return GRADUS_OK;
    return gradus_gemm_run(&g, error);
}

/* One step: what it needs is gathered, multiplied, and where its part of C is complete, reduced. */
static enum gradus_status step(struct run *r, const struct gr_dist_box *box, int64_t index,
                               struct gradus_error *error)
{
    const struct gr_dist_box part = gr_dist_step_of(r->plan, box, index);
    enum gradus_status status = GRADUS_OK;
    for (int x = GR_DIST_A; x <= GR_DIST_B && status == GRADUS_OK; x++)
        if (r->panels[x].stepped || index == 0)
            status = gr_dist_panel_gather(r->comm, &r->panels[x], r->plan,
                                          gr_dist_side_of(&part, (enum gr_dist_operand)x), error);
    const struct gr_dist_panel *const c = &r->panels[GR_DIST_C];
    const bool first = c->stepped || index == 0;
    const double beta = !first ? 1 : c->sharers > 1 ? 0 : r->gemm->beta;
    if (status == GRADUS_OK)
        status = multiply(r, &part, beta, error);
    if (status != GRADUS_OK) /* the others must not wait for what this rank will not send */
        r->comm->abort(r->comm, error && error->text[0] ? error->text : "dist: a rank failed");
    if (status == GRADUS_OK && (c->stepped || index == r->plan->steps - 1))
        status = gr_dist_panel_reduce(r->comm, c, r->plan, gr_dist_side_of(&part, GR_DIST_C),
                                      r->gemm->beta, error);
    return status;
}

static enum gradus_status run_steps(struct run *r, struct gradus_error *error)
{
    if (r->comm->rank >= r->plan->ranks)
        return GRADUS_OK;
    const struct gr_dist_box box = gr_dist_box_of(r->plan, r->comm->rank);
    enum gradus_status status = GRADUS_OK;
    for (int64_t i = 0; i < r->plan->steps && status == GRADUS_OK; i++)
        status = step(r, &box, i, error);
    return status;
}

static enum gradus_status run_all(struct run *r, struct gradus_error *error)
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
    if (status == GRADUS_OK)
        status = run_steps(r, error);
    if (status != GRADUS_OK)
        return status;
    const struct gr_dist_matrix c = planned(r, GR_DIST_C);
    return gr_dist_redistribute(r->comm, &c, &g->c, r->plan->problem.element_bytes, error);
}

enum gradus_status gr_dist_gemm_run(const struct gr_dist_gemm *gemm, struct gr_dist_comm *comm,
                                    struct gradus_error *error)
{
    struct gr_dist_plan plan = {.grid = {1, 1, 1}, .ranks = 1, .steps = 1};
    struct run r = {.gemm = gemm, .plan = &plan, .comm = comm};
    struct gradus_error own = {0};
    char asked[GR_DIST_ASKED] = "";
    error = error ? error : &own; /* what other ranks are told */
    enum gradus_status status = check(gemm, comm, error);
    if (status == GRADUS_OK && !gemm->plan)
        status = gr_dist_gemm_plan(gemm, comm->size, &plan, error);
    else if (status == GRADUS_OK)
        plan = *gemm->plan;
    if (status == GRADUS_OK) {
        describe(gemm, &plan, asked, sizeof asked);
        status = allocate(&r, error);
    }
    status = gr_dist_agree(comm, status, asked, error);
    if (status == GRADUS_OK)
        status = run_all(&r, error);
    for (int x = 0; x < 3; x++)
        for (int i = 0; i < BUFFERS; i++)
            free(r.memory[x][i]);
    return status;
}
