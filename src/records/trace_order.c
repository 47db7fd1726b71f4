/* trace_order.c: renumbers the kept requests of a trace, so that a result does not depend on the
 * order in which the host's threads ran. SPDX-License-Identifier: MIT */
#include "records/trace.h"

#include <stdlib.h>

/* Returns the number of an item, numbering items in the order of their first use. */
static int renumber(int *number, int *used)
{
    if (*number < 0)
        *number = (*used)++;
    return *number;
}

void gr_trace_order_walks(struct gr_trace_walks *w)
{
    struct gr_trace_shape *shapes = calloc((size_t)w->shape_count + 1, sizeof *shapes);
    struct gr_trace_walk *walks = calloc((size_t)w->walk_count + 1, sizeof *walks);
    int *walk_of = malloc(((size_t)w->walk_count + 1) * sizeof *walk_of);
    int *shape_of = malloc(((size_t)w->shape_count + 1) * sizeof *shape_of);
    bool whole = shapes && walks && walk_of && shape_of;
    int walk_count = 0, shape_count = 0;
    for (int i = 0; i < w->walk_count && whole; i++)
        walk_of[i] = -1;
    for (int i = 0; i < w->shape_count && whole; i++)
        shape_of[i] = -1;
    for (int i = 0; i < w->trail_count && whole; i++) {
        const struct gr_trace_walk *walk = &w->walks[w->trails[i].walk];
        bool fresh = walk_of[w->trails[i].walk] < 0;
        w->trails[i].walk = renumber(&walk_of[w->trails[i].walk], &walk_count);
        walks[w->trails[i].walk] = *walk;
        for (int k = 0; k < walk->run_count && fresh; k++) {
            struct gr_trace_run *run = &w->runs[walk->first_run + k];
            const struct gr_trace_shape *shape = &w->shapes[run->shape];
            run->shape = renumber(&shape_of[run->shape], &shape_count);
            shapes[run->shape] = *shape;
        }
    }
    if (whole) {
        struct gr_trace_shape *old_shapes = w->shapes;
        struct gr_trace_walk *old_walks = w->walks;
        w->shapes = shapes;
        w->walks = walks;
        w->shape_count = shape_count;
        w->walk_count = walk_count;
        shapes = old_shapes;
        walks = old_walks;
    }
    free(shapes);
    free(walks);
    free(walk_of);
    free(shape_of);
}
