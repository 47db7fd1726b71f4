/* dist_layout.c: the spans of each kind of layout. SPDX-License-Identifier: MIT */
#include "dist/dist_layout.h"

#include "core/error.h"

#include <inttypes.h>

struct gr_dist_layout gr_dist_layout_replicated(int64_t rows, int64_t cols, int64_t ranks)
{
    return (struct gr_dist_layout){
        .kind = GR_DIST_REPLICATED, .rows = rows, .cols = cols, .ranks = ranks, .grid = {1, 1}};
}

struct gr_dist_layout gr_dist_layout_blocked(int64_t rows, int64_t cols, int64_t grid_rows,
                                             int64_t grid_cols)
{
    return (struct gr_dist_layout){.kind = GR_DIST_BLOCKED,
                                   .rows = rows,
                                   .cols = cols,
                                   .ranks = grid_rows * grid_cols,
                                   .grid = {grid_rows, grid_cols}};
}

struct gr_dist_layout gr_dist_layout_planned(const struct gr_dist_plan *plan,
                                             enum gr_dist_operand operand)
{
    const struct gr_dist_problem *p = &plan->problem;
    return (struct gr_dist_layout){.kind = GR_DIST_PLANNED,
                                   .rows = operand == GR_DIST_B ? p->k : p->m,
                                   .cols = operand == GR_DIST_A ? p->k : p->n,
                                   .ranks = plan->ranks,
                                   .grid = {1, 1},
                                   .plan = plan,
                                   .operand = operand};
}

enum gradus_status gr_dist_layout_from_desc(const int desc[9], int64_t grid_rows, int64_t grid_cols,
                                            struct gr_dist_layout *layout,
                                            struct gradus_error *error)
{
    static const char *const names[9] = {"DTYPE", "CTXT", "M",    "N",  "MB",
                                         "NB",    "RSRC", "CSRC", "LLD"};
    const int64_t least[9] = {1, INT32_MIN, 0, 0, 1, 1, 0, 0, 1};
    const int64_t most[9] = {1,         INT32_MAX,     INT32_MAX,     INT32_MAX, INT32_MAX,
                             INT32_MAX, grid_rows - 1, grid_cols - 1, INT32_MAX};
    if (grid_rows < 1 || grid_cols < 1)
        return gr_fail(error, GRADUS_INVALID,
                       "descriptor: found a grid of %" PRId64 "x%" PRId64
                       " ranks, wanted 1 or more",
                       grid_rows, grid_cols);
    for (int i = 0; i < 9; i++)
        if (desc[i] < least[i] || desc[i] > most[i])
            return gr_fail(error, GRADUS_INVALID,
                           "descriptor: %s: found %d, wanted %" PRId64 " to %" PRId64, names[i],
                           desc[i], least[i], most[i]);
    *layout = gr_dist_layout_blocked(desc[2], desc[3], grid_rows, grid_cols);
    layout->kind = GR_DIST_CYCLIC;
    layout->col_major = true;
    for (int x = 0; x < 2; x++) {
        layout->block[x] = desc[4 + x];
        layout->source[x] = desc[6 + x];
    }
    return GRADUS_OK;
}

static void swap(int64_t pair[2])
{
    const int64_t first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}

struct gr_dist_layout gr_dist_layout_transposed(const struct gr_dist_layout *layout)
{
    struct gr_dist_layout t = *layout;
    t.rows = layout->cols;
    t.cols = layout->rows;
    swap(t.grid);
    swap(t.block);
    swap(t.source);
    t.grid_by_cols = !t.grid_by_cols;
    t.col_major = !t.col_major;
    t.transposed = !t.transposed;
    return t;
}

static int64_t size_of(const struct gr_dist_layout *layout, enum gr_dist_axis axis)
{
    return axis == GR_DIST_ROWS ? layout->rows : layout->cols;
}

/* A rank's row or column of the grid. */
static int64_t place(const struct gr_dist_layout *layout, int64_t rank, enum gr_dist_axis axis)
{
    const int64_t inner = layout->grid[layout->grid_by_cols ? 0 : 1];
    const bool is_inner = (axis == GR_DIST_ROWS) == layout->grid_by_cols;
    return is_inner ? rank % inner : rank / inner;
}

static struct gr_dist_span planned_span(const struct gr_dist_layout *layout, int64_t rank,
                                        enum gr_dist_axis axis)
{
    const struct gr_dist_rect r = gr_dist_owned(layout->plan, rank, layout->operand);
    if ((axis == GR_DIST_ROWS) != layout->transposed)
        return (struct gr_dist_span){r.row, r.row_end, 0};
    return (struct gr_dist_span){r.col, r.col_end, 0};
}

/* How far a rank is behind the one that has the first block. */
static int64_t turn(const struct gr_dist_layout *layout, int64_t rank, enum gr_dist_axis axis)
{
    const int64_t parts = layout->grid[axis];
    return (place(layout, rank, axis) - layout->source[axis] + parts) % parts;
}

int64_t gr_dist_span_count(const struct gr_dist_layout *layout, int64_t rank,
                           enum gr_dist_axis axis)
{
    if (rank < 0 || rank >= layout->ranks)
        return 0;
    if (layout->kind != GR_DIST_CYCLIC)
        return 1;
    const int64_t size = size_of(layout, axis), block = layout->block[axis];
    const int64_t blocks = (size + block - 1) / block, parts = layout->grid[axis];
    const int64_t first = turn(layout, rank, axis);
    return blocks > first ? (blocks - first - 1) / parts + 1 : 0;
}

struct gr_dist_span gr_dist_span_at(const struct gr_dist_layout *layout, int64_t rank,
                                    enum gr_dist_axis axis, int64_t index)
{
    const int64_t size = size_of(layout, axis), parts = layout->grid[axis];
    switch (layout->kind) {
    case GR_DIST_PLANNED:
        return planned_span(layout, rank, axis);
    case GR_DIST_BLOCKED: {
        const int64_t part = place(layout, rank, axis);
        return (struct gr_dist_span){gr_dist_begin(size, parts, part),
                                     gr_dist_begin(size, parts, part + 1), 0};
    }
    case GR_DIST_CYCLIC: {
        const int64_t block = layout->block[axis];
        const int64_t begin = (turn(layout, rank, axis) + index * parts) * block;
        const int64_t end = size - begin < block ? size : begin + block;
        return (struct gr_dist_span){begin, end, index * block};
    }
    default:
        return (struct gr_dist_span){0, size, 0};
    }
}

int64_t gr_dist_local_size(const struct gr_dist_layout *layout, int64_t rank,
                           enum gr_dist_axis axis)
{
    const int64_t count = gr_dist_span_count(layout, rank, axis);
    if (count == 0)
        return 0;
    const struct gr_dist_span last = gr_dist_span_at(layout, rank, axis, count - 1);
    return last.local + last.end - last.begin;
}
