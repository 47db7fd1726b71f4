/* dist_api.c: gradus_gemm_dist_run, which turns the members of gradus/dist.h into layouts and a
 * plan. SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "dist/dist_comm.h"
#include "dist/dist_gemm.h"
#include "dist/dist_plans.h"
#include "dist/dist_stationary.h"

#include <inttypes.h>
#include <stdio.h>

/* An operand: its letter and its sizes as it is stored; and the rank that asks. */
struct asking {
    char name;
    int64_t rows, cols, rank, ranks;
    size_t element;
};

static enum gradus_status check_grid(const struct asking *q, const struct gradus_dist_matrix *x,
                                     struct gradus_error *error)
{
    if (x->grid_rows < 1 || x->grid_cols < 1 || x->grid_rows > q->ranks ||
        x->grid_cols > q->ranks / x->grid_rows)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: %c: grid: found %" PRId64 "x%" PRId64 ", wanted 1 to %" PRId64
                       " ranks",
                       q->name, x->grid_rows, x->grid_cols, q->ranks);
    return GRADUS_OK;
}

/* Checks that the matrix is within the array, if it has elements. */
static enum gradus_status check_part(const struct asking *q, const struct gradus_dist_matrix *x,
                                     const struct gr_dist_layout *whole, struct gradus_error *error)
{
    const int64_t at[2] = {x->row, x->col}, size[2] = {q->rows, q->cols};
    const int64_t array[2] = {whole->rows, whole->cols};
    const bool empty = q->rows == 0 || q->cols == 0;
    for (int d = 0; d < 2; d++)
        if (at[d] < 0 || at[d] > INT32_MAX ||
            (!empty && (at[d] > array[d] || size[d] > array[d] - at[d])))
            return gr_fail(error, GRADUS_INVALID,
                           "gemm_dist: %c: found %s %" PRId64 " and %" PRId64
                           " more in an array of %" PRId64,
                           q->name, d ? "column" : "row", at[d], size[d], array[d]);
    return GRADUS_OK;
}

/* Checks that the leading dimension is at least the rank's number of rows of the whole array. */
static enum gradus_status check_lld(const struct asking *q, const struct gradus_dist_matrix *x,
                                    const struct gr_dist_layout *whole, struct gradus_error *error)
{
    const int64_t rows = gr_dist_local_size(whole, q->rank, GR_DIST_ROWS);
    const int64_t cols = gr_dist_local_size(whole, q->rank, GR_DIST_COLS);
    const int lld = gr_dist_desc_lld(x->desc);
    if (cols > 0 && lld < rows)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: %c: LLD: found %d, wanted at least the %" PRId64
                       " rows of this rank",
                       q->name, lld, rows);
    return GRADUS_OK;
}

static enum gradus_status read_cyclic(const struct asking *q, const struct gradus_dist_matrix *x,
                                      struct gr_dist_matrix *to, struct gradus_error *error)
{
    struct gradus_error bad = {0};
    struct gr_dist_layout whole;
    const int64_t begin[2] = {x->row, x->col}, size[2] = {q->rows, q->cols};
    if (!x->desc)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: %c: desc: found a null pointer, wanted a descriptor", q->name);
    enum gradus_status status =
        gr_dist_layout_from_desc(x->desc, x->grid_rows, x->grid_cols, &whole, &bad);
    if (status != GRADUS_OK)
        return gr_fail(error, status, "gemm_dist: %c: %.400s", q->name, bad.text);
    whole.grid_by_cols = x->grid_col_major != 0;
    status = check_part(q, x, &whole, error);
    if (status == GRADUS_OK)
        status = check_lld(q, x, &whole, error);
    if (status != GRADUS_OK)
        return status;
    *to = (struct gr_dist_matrix){gr_dist_layout_part(&whole, begin, size), NULL,
                                  gr_dist_desc_lld(x->desc)};
    if (x->local && q->rows > 0 && q->cols > 0) {
        const int64_t row = gr_dist_local_before(&whole, q->rank, GR_DIST_ROWS, x->row);
        const int64_t col = gr_dist_local_before(&whole, q->rank, GR_DIST_COLS, x->col);
        to->local = (char *)x->local + (size_t)(col * to->ld + row) * q->element;
    }
    return GRADUS_OK;
}

static enum gradus_status read_matrix(const struct asking *q, const struct gradus_dist_matrix *x,
                                      struct gr_dist_matrix *to, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (size_t i = 0; i < sizeof x->reserved / sizeof *x->reserved; i++)
        if (x->reserved[i] != 0)
            return gr_fail(error, GRADUS_INVALID,
                           "gemm_dist: %c: reserved: found %" PRId64 ", wanted 0", q->name,
                           x->reserved[i]);
    if (x->distribution == GRADUS_REPLICATED) {
        *to = (struct gr_dist_matrix){gr_dist_layout_replicated(q->rows, q->cols, q->ranks),
                                      x->local, x->ld};
    } else if (x->distribution == GRADUS_BLOCKED || x->distribution == GRADUS_CYCLIC) {
        status = check_grid(q, x, error);
        if (status == GRADUS_OK && x->distribution == GRADUS_CYCLIC)
            return read_cyclic(q, x, to, error);
        *to = (struct gr_dist_matrix){
            gr_dist_layout_blocked(q->rows, q->cols, x->grid_rows, x->grid_cols), x->local, x->ld};
        to->layout.grid_by_cols = x->grid_col_major != 0;
    } else
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: %c: distribution: found %d, wanted one of enum "
                       "gradus_distribution",
                       q->name, (int)x->distribution);
    to->layout.col_major = x->layout == GRADUS_COL_MAJOR;
    return status;
}

static enum gradus_status check_scalars(const struct gradus_gemm_dist *g,
                                        struct gradus_error *error)
{
    const int64_t sizes[] = {g->m, g->n, g->k};
    if (g->type != GRADUS_F32 && g->type != GRADUS_F64)
        return gr_fail(error, GRADUS_UNSUPPORTED, "gemm_dist: type: found %d, wanted f32 or f64",
                       (int)g->type);
    for (int i = 0; i < 3; i++)
        if (sizes[i] < 0)
            return gr_fail(error, GRADUS_INVALID,
                           "gemm_dist: %c: found %" PRId64 ", wanted 0 or more", "mnk"[i],
                           sizes[i]);
    if (g->memory_bytes < 0)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: memory_bytes: found %" PRId64 ", wanted 0 or more",
                       g->memory_bytes);
    for (size_t i = 0; i < sizeof g->reserved / sizeof *g->reserved; i++)
        if (g->reserved[i] != 0)
            return gr_fail(error, GRADUS_INVALID,
                           "gemm_dist: reserved: found %" PRId64 ", wanted 0", g->reserved[i]);
    return GRADUS_OK;
}

static enum gradus_status read_problem(const struct gradus_gemm_dist *g,
                                       const struct gr_dist_comm *comm, struct gr_dist_gemm *to,
                                       struct gradus_error *error)
{
    const struct gradus_dist_matrix *const from[] = {&g->a, &g->b, &g->c};
    struct gr_dist_matrix *const matrices[] = {&to->a, &to->b, &to->c};
    const int64_t rows[] = {g->trans_a ? g->k : g->m, g->trans_b ? g->n : g->k, g->m};
    const int64_t cols[] = {g->trans_a ? g->m : g->k, g->trans_b ? g->k : g->n, g->n};
    enum gradus_status status = check_scalars(g, error);
    *to = (struct gr_dist_gemm){.type = g->type,
                                .trans_a = g->trans_a != 0,
                                .trans_b = g->trans_b != 0,
                                .m = g->m,
                                .n = g->n,
                                .k = g->k,
                                .alpha = g->alpha,
                                .beta = g->beta,
                                .threads = g->threads};
    for (int x = 0; x < 3 && status == GRADUS_OK; x++) {
        const struct asking asking = {"ABC"[x],     rows[x],      cols[x],
                                      comm -> rank, comm -> size, g -> type == GRADUS_F64 ? 8 : 4};
        status = read_matrix(&asking, from[x], matrices[x], error);
    }
    return status;
}

/* The same rates as gr_dist_gemm_plan assumes. */
static struct gr_dist_machine machine_of(const struct gradus_gemm_dist *g, int64_t ranks)
{
    return (struct gr_dist_machine){.ranks = ranks,
                                    .memory_bytes = g->memory_bytes,
                                    .flop_per_s = 1e12,
                                    .memory_bytes_per_s = 2e11,
                                    .link_bytes_per_s = 1e10,
                                    .latency_s = 1e-5,
                                    .overlap = true};
}

static enum gradus_status make_plan(const struct gradus_gemm_dist *g,
                                    const struct gr_dist_machine *machine,
                                    struct gr_dist_plan *plan, struct gradus_error *error)
{
    const struct gr_dist_problem problem = {g->m, g->n, g->k, g->type == GRADUS_F64 ? 8 : 4};
    return gr_dist_plan_again(&problem, machine, plan, error);
}

/* Writes, for example, ", C from 3;0 on with first blocks of 4x5". Parts that may differ between
 * ranks begin with a comma. */
static int describe_matrix(char name, const struct gradus_dist_matrix *x,
                           const struct gr_dist_layout *layout, char *text, size_t size)
{
    const int64_t row = x->row, col = x->col;
    if (x->distribution != GRADUS_CYCLIC)
        return snprintf(text, size, ", %c %s-major", name, layout->col_major ? "column" : "row");
    return snprintf(text, size,
                    ", %c from %" PRId64 ";%" PRId64 " on with first blocks of %" PRId64
                    "x%" PRId64,
                    name, row, col, layout->first[0], layout->first[1]);
}

/* Writes what all ranks must have in common, besides what gr_dist_gemm_run compares. It begins with
 * what decides between the two algorithms, so that the error names this first if ranks differ in
 * it. */
static void describe(const struct gradus_gemm_dist *g, const struct gr_dist_gemm *read,
                     char text[GR_DIST_ASKED])
{
    const struct gradus_dist_matrix *const x[] = {&g->a, &g->b, &g->c};
    const struct gr_dist_layout *const l[] = {&read->a.layout, &read->b.layout, &read->c.layout};
    int length = snprintf(text, GR_DIST_ASKED, "memory %" PRId64, g->memory_bytes);
    for (int i = 0; i < 3; i++) /* at most 110 bytes each */
        length +=
            describe_matrix("ABC"[i], x[i], l[i], text + length, (size_t)(GR_DIST_ASKED - length));
}

static int64_t ld_of(const struct gr_dist_matrix *x)
{
    return x->ld > 0 ? x->ld : 1; /* an empty matrix may have none */
}

/* A single rank has all elements, and multiplies them where they are. */
static enum gradus_status run_alone(const struct gr_dist_gemm *p, struct gradus_error *error)
{
    struct gradus_gemm g;
    const bool by_cols = p->c.layout.col_major;
    if (p->m == 0 || p->n == 0)
        return GRADUS_OK;
    gradus_gemm_init(&g, p->type);
    g.layout = by_cols ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.m = p->m, g.n = p->n, g.k = p->k;
    g.trans_a = p->trans_a != (p->a.layout.col_major != by_cols);
    g.trans_b = p->trans_b != (p->b.layout.col_major != by_cols);
    g.alpha = p->alpha, g.beta = p->beta;
    g.a = p->a.local, g.lda = ld_of(&p->a);
    g.b = p->b.local, g.ldb = ld_of(&p->b);
    g.c = p->c.local, g.ldc = ld_of(&p->c);
    g.threads = p->threads;
    return gradus_gemm_run(&g, error);
}

void gradus_gemm_dist_init(struct gradus_gemm_dist *gemm, enum gradus_type type)
{
    if (gemm)
        *gemm = (struct gradus_gemm_dist){.type = type, .alpha = 1};
}

enum gradus_status gradus_gemm_dist_run(const struct gradus_gemm_dist *gemm,
                                        struct gradus_comm *comm, struct gradus_error *error)
{
    struct gr_dist_gemm problem;
    struct gr_dist_plan plan;
    struct gradus_error own = {0};
    char asked[GR_DIST_ASKED] = "";
    error = error ? error : &own; /* what other ranks are told */
    if (!comm)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: found a null pointer, wanted a communicator");
    enum gradus_status status =
        gemm ? read_problem(gemm, &comm->end, &problem, error)
             : gr_fail(error, GRADUS_INVALID, "gemm_dist: found a null pointer, wanted a problem");
    if (status == GRADUS_OK && comm->end.size == 1)
        return run_alone(&problem, error);
    const struct gr_dist_machine machine =
        status == GRADUS_OK ? machine_of(gemm, comm->end.size) : (struct gr_dist_machine){0};
    if (status == GRADUS_OK)
        status = make_plan(gemm, &machine, &plan, error);
    if (status != GRADUS_OK)
        return gr_dist_agree(&comm->end, status, NULL, error);
    describe(gemm, &problem, asked);
    problem.asked = asked;
    if (gr_dist_stationary_is_faster(&problem, &machine, &plan))
        return gr_dist_stationary_run(&problem, &comm->end, error);
    problem.plan = &plan;
    return gr_dist_gemm_run(&problem, &comm->end, error);
}

enum gradus_status gradus_gemm_dist_refuse(struct gradus_comm *comm, enum gradus_status status,
                                           const char *text, struct gradus_error *error)
{
    struct gradus_error own = {0};
    error = error ? error : &own; /* what other ranks are told */
    if (!comm)
        return gr_fail(error, GRADUS_INVALID,
                       "gemm_dist: found a null pointer, wanted a communicator");
    gr_fail(error, status ? status : GRADUS_INVALID, "%s", text ? text : "gemm_dist: refused");
    return gr_dist_agree(&comm->end, error->status, NULL, error);
}
