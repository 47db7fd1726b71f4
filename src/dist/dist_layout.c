/* dist_layout.c: computes the spans of each kind of layout. SPDX-License-Identifier: MIT */
#include "dist/dist_layout.h"

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
    swap(t.first);
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

/* How many places of the grid a rank is after the one that has the first block. */
static int64_t turn(const struct gr_dist_layout *layout, int64_t rank, enum gr_dist_axis axis)
{
    const int64_t parts = layout->grid[axis];
    return (place(layout, rank, axis) - layout->source[axis] + parts) % parts;
}

static bool everywhere(const struct gr_dist_layout *layout, enum gr_dist_axis axis)
{
    return (layout->kind == GR_DIST_CYCLIC || layout->kind == GR_DIST_BLOCKED) &&
           layout->source[axis] == GR_DIST_EVERY;
}

static int64_t first_of(const struct gr_dist_layout *layout, enum gr_dist_axis axis)
{
    return layout->first[axis] ? layout->first[axis] : layout->block[axis];
}

int64_t gr_dist_span_count(const struct gr_dist_layout *layout, int64_t rank,
                           enum gr_dist_axis axis)
{
    if (rank < 0 || rank >= layout->ranks)
        return 0;
    if (layout->kind != GR_DIST_CYCLIC || everywhere(layout, axis))
        return 1;
    const int64_t size = size_of(layout, axis), block = layout->block[axis];
    const int64_t first = first_of(layout, axis), more = size > first ? size - first : 0;
    const int64_t blocks = (size > 0) + (more + block - 1) / block, parts = layout->grid[axis];
    const int64_t begin = turn(layout, rank, axis);
    return blocks > begin ? (blocks - begin - 1) / parts + 1 : 0;
}

/* The block number `index` of a rank. The first block of all may have another size than the
 * others. */
static struct gr_dist_span cyclic_span(const struct gr_dist_layout *layout, int64_t rank,
                                       enum gr_dist_axis axis, int64_t index)
{
    const int64_t size = size_of(layout, axis), first = first_of(layout, axis);
    const int64_t block = layout->block[axis], begins = turn(layout, rank, axis);
    const int64_t number = begins + index * layout->grid[axis];
    const int64_t begin = number == 0 ? 0 : first + (number - 1) * block;
    const int64_t length = number == 0 ? first : block;
    const int64_t longer = begins == 0 && index > 0 ? first - block : 0;
    return (struct gr_dist_span){begin, size - begin < length ? size : begin + length,
                                 index * block + longer};
}

struct gr_dist_span gr_dist_span_at(const struct gr_dist_layout *layout, int64_t rank,
                                    enum gr_dist_axis axis, int64_t index)
{
    const int64_t size = size_of(layout, axis), parts = layout->grid[axis];
    if (layout->kind == GR_DIST_PLANNED)
        return planned_span(layout, rank, axis);
    if (layout->kind == GR_DIST_CYCLIC && !everywhere(layout, axis))
        return cyclic_span(layout, rank, axis, index);
    if (layout->kind != GR_DIST_BLOCKED || everywhere(layout, axis))
        return (struct gr_dist_span){0, size, 0};
    const int64_t part = place(layout, rank, axis);
    return (struct gr_dist_span){gr_dist_begin(size, parts, part),
                                 gr_dist_begin(size, parts, part + 1), 0};
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

bool gr_dist_serves(const struct gr_dist_layout *layout, int64_t rank, int64_t target)
{
    target %= layout->ranks;
    if (layout->kind == GR_DIST_REPLICATED)
        return target == rank;
    for (int x = GR_DIST_ROWS; x <= GR_DIST_COLS; x++)
        if (everywhere(layout, (enum gr_dist_axis)x) &&
            place(layout, rank, (enum gr_dist_axis)x) !=
                place(layout, target, (enum gr_dist_axis)x))
            return false;
    return true;
}
