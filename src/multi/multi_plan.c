/* multi_plan.c: divides C into tiles and computes what each tile needs.
 * SPDX-License-Identifier: MIT */
#include "multi/multi_plan.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "multi/multi_schedule.h"

int64_t gr_multi_element(const struct gr_multi_gemm *gemm, int operand)
{
    return gr_gemm_type_bytes(operand == GR_MULTI_A ? gemm->gemm.a_type : gemm->gemm.b_type);
}

int64_t gr_multi_pitch(int64_t elements, int64_t element_bytes)
{
    enum { VECTOR = 16 };
    return (elements * element_bytes + VECTOR - 1) / VECTOR * VECTOR;
}

struct gr_multi_rates gr_multi_rates_assumed(const struct gr_multi_gemm *gemm)
{
    const enum gradus_type type = gemm->gemm.a_type;
    struct gr_multi_rates rates = {.flop_per_s = 6e14,
                                   .memory_bytes_per_s = 3e12,
                                   .link_bytes_per_s = gemm->resident ? 2.5e11 : 2e10,
                                   .latency_s = 2e-5};
    if (type == GRADUS_F32)
        rates.flop_per_s = gemm->gemm.math == GRADUS_MATH_IEEE ? 4.5e13 : 1.2e14;
    if (type == GRADUS_F64)
        rates.flop_per_s = 6e13;
    return rates;
}

enum gradus_status gr_multi_plan(const struct gr_multi_gemm *gemm, int64_t ranks,
                                 const struct gr_multi_rates *rates, struct gr_multi_plan *plan,
                                 struct gradus_error *error)
{
    const struct gradus_gemm *const g = &gemm->gemm;
    const struct gr_dist_problem problem = {g->m, g->n, g->k, gr_multi_element(gemm, GR_MULTI_A)};
    const struct gr_dist_machine machine = {.ranks = ranks,
                                            .flop_per_s = rates->flop_per_s,
                                            .memory_bytes_per_s = rates->memory_bytes_per_s,
                                            .link_bytes_per_s = rates->link_bytes_per_s,
                                            .latency_s = rates->latency_s,
                                            .overlap = true,
                                            .whole_k = true};
    const int64_t grid[3] = {gemm->c.grid[0], gemm->c.grid[1], 1};
    const enum gradus_status status =
        gemm->resident ? gr_dist_plan_grid(&problem, &machine, grid, &plan->model, error)
                       : gr_dist_plan(&problem, &machine, &plan->model, error);
    if (status != GRADUS_OK)
        return status;
    plan->grid[0] = plan->model.grid[GR_DIST_M];
    plan->grid[1] = plan->model.grid[GR_DIST_N];
    const bool by_rows = plan->model.step_dim == GR_DIST_M;
    plan->steps = by_rows ? plan->model.steps : 1;
    plan->passes = by_rows ? 1 : plan->model.steps;
    if (gemm->resident)
        gr_multi_schedule(gemm, ranks, rates, plan);
    return GRADUS_OK;
}

/* Divides an interval of `size` from `first` on into `parts` parts, and returns one of them. */
static void cut(int64_t first, int64_t size, int64_t parts, int64_t part, int64_t *begin,
                int64_t *length)
{
    const int64_t from = gr_dist_begin(size, parts, part);
    *begin = first + from;
    *length = gr_dist_begin(size, parts, part + 1) - from;
}

/* The GPUs in a row of the grid go through the panels of resident operands in rotated orders, so
 * that they do not all read from the same GPU at the same time. */
static int64_t step_of(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan,
                       int64_t rank, int64_t tile)
{
    const int64_t turn = gemm->resident ? rank % plan->grid[1] * plan->steps / plan->grid[1] : 0;
    return (tile % plan->steps + turn) % plan->steps;
}

struct gr_multi_rect gr_multi_tile(const struct gr_multi_gemm *gemm,
                                   const struct gr_multi_plan *plan, int64_t rank, int64_t tile)
{
    struct gr_multi_rect box, r = {0};
    if (rank >= plan->grid[0] * plan->grid[1])
        return r;
    cut(0, gemm->gemm.m, plan->grid[0], rank / plan->grid[1], &box.row, &box.rows);
    cut(0, gemm->gemm.n, plan->grid[1], rank % plan->grid[1], &box.col, &box.cols);
    cut(box.row, box.rows, plan->steps, step_of(gemm, plan, rank, tile), &r.row, &r.rows);
    cut(box.col, box.cols, plan->passes, tile / plan->steps, &r.col, &r.cols);
    return r;
}

static bool is_read(const struct gradus_gemm *g)
{
    return g->k > 0 && g->alpha != 0;
}

struct gr_multi_rect gr_multi_needed(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, int operand, int64_t rank,
                                     int64_t tile)
{
    const struct gradus_gemm *const g = &gemm->gemm;
    const struct gr_multi_rect t = gr_multi_tile(gemm, plan, rank, tile);
    if (!is_read(g) || (operand == GR_MULTI_A ? t.rows : t.cols) == 0)
        return (struct gr_multi_rect){0};
    if (operand == GR_MULTI_A)
        return g->trans_a ? (struct gr_multi_rect){0, g->k, t.row, t.rows}
                          : (struct gr_multi_rect){t.row, t.rows, 0, g->k};
    return g->trans_b ? (struct gr_multi_rect){t.col, t.cols, 0, g->k}
                      : (struct gr_multi_rect){0, g->k, t.col, t.cols};
}

bool gr_multi_comes(const struct gr_multi_plan *plan, int operand, int64_t tile)
{
    return operand == GR_MULTI_A ? tile == 0 || plan->steps > 1 : tile % plan->steps == 0;
}

int gr_multi_place(const struct gr_multi_plan *plan, int operand, int64_t tile)
{
    if (operand == GR_MULTI_A)
        return plan->steps > 1 ? (int)(tile % 2) : 0;
    return (int)(tile / plan->steps % 2);
}

struct gr_multi_rect gr_multi_own(const struct gr_multi_gemm *gemm, int operand, int64_t rank)
{
    const struct gradus_gemm *const g = &gemm->gemm;
    const struct gr_multi_blocks *const x = operand == GR_MULTI_A ? &gemm->a : &gemm->b;
    const bool trans = operand == GR_MULTI_A ? g->trans_a : g->trans_b;
    int64_t rows = operand == GR_MULTI_A ? g->m : g->k, cols = operand == GR_MULTI_A ? g->k : g->n;
    struct gr_multi_rect r = {0};
    if (trans) {
        const int64_t other = rows;
        rows = cols, cols = other;
    }
    if (rank >= x->grid[0] * x->grid[1])
        return r;
    cut(0, rows, x->grid[0], rank / x->grid[1], &r.row, &r.rows);
    cut(0, cols, x->grid[1], rank % x->grid[1], &r.col, &r.cols);
    return r;
}

static void common(int64_t a, int64_t a_size, int64_t b, int64_t b_size, int64_t *begin,
                   int64_t *size)
{
    const int64_t end = a + a_size < b + b_size ? a + a_size : b + b_size;
    *begin = a > b ? a : b;
    *size = end > *begin ? end - *begin : 0;
}

static bool intersect(const struct gr_multi_rect *x, const struct gr_multi_rect *y,
                      struct gr_multi_rect *both)
{
    common(x->row, x->rows, y->row, y->rows, &both->row, &both->rows);
    common(x->col, x->cols, y->col, y->cols, &both->col, &both->cols);
    return both->rows > 0 && both->cols > 0;
}

bool gr_multi_in_place(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan,
                       int operand, int64_t rank, int64_t tile)
{
    const struct gr_multi_rect needed = gr_multi_needed(gemm, plan, operand, rank, tile);
    const struct gr_multi_rect own = gr_multi_own(gemm, operand, rank);
    struct gr_multi_rect both;
    return gemm->resident && intersect(&needed, &own, &both) && both.rows == needed.rows &&
           both.cols == needed.cols;
}

/* GPUs that need the same panel share the upload: each uploads some of its rows. */
static bool uploaded_part(const struct gr_multi_plan *plan, int operand, int64_t from, int64_t to,
                          const struct gr_multi_rect *needed, struct gr_multi_rect *part)
{
    const int64_t at[2] = {from / plan->grid[1], from % plan->grid[1]};
    const int64_t to_at[2] = {to / plan->grid[1], to % plan->grid[1]};
    const int same = operand == GR_MULTI_A ? 0 : 1; /* A: GPUs of the same row of the grid */
    if (from >= plan->grid[0] * plan->grid[1] || at[same] != to_at[same])
        return false;
    *part = *needed;
    cut(needed->row, needed->rows, plan->grid[!same], at[!same], &part->row, &part->rows);
    return part->rows > 0 && part->cols > 0;
}

bool gr_multi_part(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan, int operand,
                   int64_t from, int64_t to, int64_t tile, struct gr_multi_rect *part)
{
    const struct gr_multi_rect needed = gr_multi_needed(gemm, plan, operand, to, tile);
    if (needed.rows == 0 || !gr_multi_comes(plan, operand, tile))
        return false;
    if (!gemm->resident)
        return uploaded_part(plan, operand, from, to, &needed, part);
    const struct gr_multi_rect own = gr_multi_own(gemm, operand, from);
    return !gr_multi_in_place(gemm, plan, operand, to, tile) && intersect(&needed, &own, part);
}
