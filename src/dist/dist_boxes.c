/* dist_boxes.c: computes which multiplications and which elements belong to a rank.
 * SPDX-License-Identifier: MIT
 *
 * Everything follows from one function, gr_dist_begin, which divides n indices into parts. */
#include "dist/dist_plan.h"

int64_t gr_dist_begin(int64_t n, int64_t parts, int64_t part)
{
    const int64_t more = n % parts;
    return part * (n / parts) + (part < more ? part : more);
}

void gr_dist_coordinates(const struct gr_dist_plan *plan, int64_t rank, int64_t at[3])
{
    at[GR_DIST_M] = rank % plan->grid[GR_DIST_M];
    rank /= plan->grid[GR_DIST_M];
    at[GR_DIST_N] = rank % plan->grid[GR_DIST_N];
    at[GR_DIST_K] = rank / plan->grid[GR_DIST_N];
}

int64_t gr_dist_rank(const struct gr_dist_plan *plan, const int64_t at[3])
{
    return (at[GR_DIST_K] * plan->grid[GR_DIST_N] + at[GR_DIST_N]) * plan->grid[GR_DIST_M] +
           at[GR_DIST_M];
}

struct gr_dist_box gr_dist_box_of(const struct gr_dist_plan *plan, int64_t rank)
{
    const int64_t size[3] = {plan->problem.m, plan->problem.n, plan->problem.k};
    struct gr_dist_box box = {{0}, {0}};
    if (rank < 0 || rank >= plan->ranks)
        return box;
    int64_t at[3];
    gr_dist_coordinates(plan, rank, at);
    for (int d = 0; d < 3; d++) {
        box.begin[d] = gr_dist_begin(size[d], plan->grid[d], at[d]);
        box.end[d] = gr_dist_begin(size[d], plan->grid[d], at[d] + 1);
    }
    return box;
}

struct gr_dist_box gr_dist_step_of(const struct gr_dist_plan *plan, const struct gr_dist_box *box,
                                   int64_t step)
{
    const enum gr_dist_dim d = plan->step_dim;
    const int64_t size = box->end[d] - box->begin[d];
    struct gr_dist_box part = *box;
    part.begin[d] = box->begin[d] + gr_dist_begin(size, plan->steps, step);
    part.end[d] = box->begin[d] + gr_dist_begin(size, plan->steps, step + 1);
    return part;
}

/* The dimensions of an operand's rows and columns, and the dimension that it does not have. */
static const enum gr_dist_dim dims[3][3] = {
    [GR_DIST_A] = {GR_DIST_M, GR_DIST_K, GR_DIST_N},
    [GR_DIST_B] = {GR_DIST_K, GR_DIST_N, GR_DIST_M},
    [GR_DIST_C] = {GR_DIST_M, GR_DIST_N, GR_DIST_K},
};

struct gr_dist_rect gr_dist_side_of(const struct gr_dist_box *box, enum gr_dist_operand operand)
{
    const enum gr_dist_dim row = dims[operand][0], col = dims[operand][1];
    return (struct gr_dist_rect){box->begin[row], box->end[row], box->begin[col], box->end[col]};
}

/* Ranks that differ only in the dimension that the operand does not have share its block. */
struct gr_dist_rect gr_dist_owned(const struct gr_dist_plan *plan, int64_t rank,
                                  enum gr_dist_operand operand)
{
    const struct gr_dist_box box = gr_dist_box_of(plan, rank);
    struct gr_dist_rect rect = gr_dist_side_of(&box, operand);
    if (rank < 0 || rank >= plan->ranks)
        return rect;
    const enum gr_dist_dim missing = dims[operand][2];
    int64_t at[3];
    gr_dist_coordinates(plan, rank, at);
    const bool by_rows = plan->split[operand] == dims[operand][0];
    int64_t *const begin = by_rows ? &rect.row : &rect.col;
    int64_t *const end = by_rows ? &rect.row_end : &rect.col_end;
    const int64_t first = *begin, size = *end - *begin;
    *begin = first + gr_dist_begin(size, plan->grid[missing], at[missing]);
    *end = first + gr_dist_begin(size, plan->grid[missing], at[missing] + 1);
    return rect;
}
