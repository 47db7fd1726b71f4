/* dist_moves.c: computes what one rank sends to another to get from one layout to another: the
 * rectangles that are in the spans of both. SPDX-License-Identifier: MIT */
#include "dist/dist_layout.h"

#include "core/error.h"

#include <stdlib.h>

/* An interval that both ranks have along one axis, in global indices, and its beginning in the
 * local array of each. */
struct cut {
    int64_t begin, end, from, to;
};

static int64_t later(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t earlier(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* A rank of a layout. */
struct side {
    const struct gr_dist_layout *layout;
    int64_t rank;
};

/* The intersections of two rising lists of spans, found by merging them. They are written to `cuts`
 * unless that is null. Returns their number. */
static int64_t intersect(struct side from, struct side to, enum gr_dist_axis axis, struct cut *cuts)
{
    const int64_t from_count = gr_dist_span_count(from.layout, from.rank, axis);
    const int64_t to_count = gr_dist_span_count(to.layout, to.rank, axis);
    int64_t count = 0;
    for (int64_t i = 0, j = 0; i < from_count && j < to_count;) {
        const struct gr_dist_span x = gr_dist_span_at(from.layout, from.rank, axis, i);
        const struct gr_dist_span y = gr_dist_span_at(to.layout, to.rank, axis, j);
        const int64_t begin = later(x.begin, y.begin), end = earlier(x.end, y.end);
        if (begin < end) {
            if (cuts)
                cuts[count] =
                    (struct cut){begin, end, x.local + begin - x.begin, y.local + begin - y.begin};
            count++;
        }
        if (x.end <= y.end)
            i++;
        else
            j++;
    }
    return count;
}

static void fill(struct gr_dist_moves *moves, const struct cut *rows, int64_t row_count,
                 const struct cut *cols, int64_t col_count)
{
    for (int64_t i = 0; i < row_count; i++)
        for (int64_t j = 0; j < col_count; j++) {
            moves->items[moves->count++] = (struct gr_dist_move){
                .rect = {rows[i].begin, rows[i].end, cols[j].begin, cols[j].end},
                .from_row = rows[i].from,
                .from_col = cols[j].from,
                .to_row = rows[i].to,
                .to_col = cols[j].to};
            moves->words += (rows[i].end - rows[i].begin) * (cols[j].end - cols[j].begin);
        }
}

enum gradus_status gr_dist_moves_between(const struct gr_dist_layout *from, int64_t source,
                                         const struct gr_dist_layout *to, int64_t target,
                                         struct gr_dist_moves *moves, struct gradus_error *error)
{
    const struct side x = {from, source}, y = {to, target};
    *moves = (struct gr_dist_moves){0};
    if (source >= from->ranks || !gr_dist_serves(from, source, target))
        return GRADUS_OK;
    const int64_t row_count = intersect(x, y, GR_DIST_ROWS, NULL);
    const int64_t col_count = row_count ? intersect(x, y, GR_DIST_COLS, NULL) : 0;
    if (col_count == 0)
        return GRADUS_OK;
    const size_t cut_bytes = (size_t)(row_count + col_count) * sizeof(struct cut);
    struct cut *const cuts = malloc(cut_bytes);
    moves->items = calloc((size_t)row_count, (size_t)col_count * sizeof *moves->items);
    if (!cuts || !moves->items) {
        free(cuts);
        free(moves->items);
        moves->items = NULL;
        return gr_fail_memory(error, "the rectangles between two layouts", cut_bytes);
    }
    intersect(x, y, GR_DIST_ROWS, cuts);
    intersect(x, y, GR_DIST_COLS, cuts + row_count);
    fill(moves, cuts, row_count, cuts + row_count, col_count);
    free(cuts);
    return GRADUS_OK;
}
