/* walks.c: keeps the shapes, runs, walks and trails of a launch. SPDX-License-Identifier: MIT
 *
 * Most blocks and warps make the same requests at other addresses. Since equal parts are kept once,
 * they take little memory, for any size of kernel. */
#include "simrt/walks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHAPES = 1024, MOST_RUNS = 32768, MOST_WALKS = 8192, MOST_TRAILS = 32768 };

/* Is the position the first, the second or the last along its axis? */
static bool is_corner(unsigned at, unsigned extent)
{
    return at <= 1 || at + 1 == extent;
}

bool gr_walks_want(const struct gr_sim_index *block, const unsigned grid[3])
{
    bool in_plane = is_corner(block->x, grid[0]) && is_corner(block->y, grid[1]);
    return block->z == 0 ? in_plane
                         : block->x == 0 && block->y == 0 && is_corner(block->z, grid[2]);
}

int gr_walks_block(struct gr_trace_walks *w, const struct gr_sim_index *block)
{
    const unsigned at[3] = {block->x, block->y, block->z};
    for (int i = 0; i < w->block_count; i++)
        if (memcmp(w->blocks[i], at, sizeof at) == 0)
            return -1;
    if (w->block_count == GR_WALKED_BLOCKS)
        return -1;
    memcpy(w->blocks[w->block_count], at, sizeof at);
    return w->block_count++;
}

/* Makes room for `more` items in a list whose capacity doubles. False: there is none. */
static bool reserve(void *list, int count, int more, int most, size_t size)
{
    void *items;
    memcpy(&items, list, sizeof items);
    int have = 16;
    while (have < count)
        have *= 2;
    if (count + more > most)
        return false;
    if (items && count + more <= have)
        return true;
    while (have < count + more)
        have *= 2;
    void *grown = realloc(items, (size_t)have * size);
    if (grown)
        memcpy(list, &grown, sizeof grown);
    return grown != NULL;
}

static void learn(int16_t *known, int16_t seen)
{
    *known = *known ? *known : seen;
}

int gr_walks_shape(struct gr_trace_walks *w, const struct gr_trace_shape *shape)
{
    for (int i = 0; i < w->shape_count; i++) {
        struct gr_trace_shape *s = &w->shapes[i];
        if (s->lanes != shape->lanes || s->bytes != shape->bytes ||
            memcmp(s->offset, shape->offset, sizeof s->offset) != 0)
            continue;
        for (int k = 0; k < GR_SECTOR_MOST; k++)
            learn(&s->sectors[k], shape->sectors[k]);
        learn(&s->sectors_ideal, shape->sectors_ideal);
        learn(&s->wavefronts, shape->wavefronts);
        learn(&s->wavefronts_ideal, shape->wavefronts_ideal);
        return i;
    }
    if (!reserve(&w->shapes, w->shape_count, 1, MOST_SHAPES, sizeof *w->shapes)) {
        w->dropped = true;
        return -1;
    }
    w->shapes[w->shape_count] = *shape;
    return w->shape_count++;
}

static bool same_runs(const struct gr_trace_run *a, const struct gr_trace_run *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i].count != b[i].count || a[i].stride != b[i].stride || a[i].start != b[i].start ||
            a[i].shape != b[i].shape)
            return false;
    return true;
}

int gr_walks_walk(struct gr_trace_walks *w, const struct gr_trace_walk *walk,
                  const struct gr_trace_run *runs)
{
    for (int i = 0; i < w->walk_count; i++) {
        const struct gr_trace_walk *o = &w->walks[i];
        if (o->run_count == walk->run_count && o->shift == walk->shift && o->kept == walk->kept &&
            o->total == walk->total && same_runs(&w->runs[o->first_run], runs, walk->run_count))
            return i;
    }
    if (!reserve(&w->walks, w->walk_count, 1, MOST_WALKS, sizeof *w->walks) ||
        !reserve(&w->runs, w->run_count, walk->run_count, MOST_RUNS, sizeof *w->runs)) {
        w->dropped = true;
        return -1;
    }
    struct gr_trace_walk *added = &w->walks[w->walk_count];
    *added = *walk;
    added->first_run = w->run_count;
    memcpy(&w->runs[w->run_count], runs, (size_t)walk->run_count * sizeof *runs);
    w->run_count += walk->run_count;
    return w->walk_count++;
}

bool gr_walks_trail(struct gr_trace_walks *w, const struct gr_trace_trail *trail)
{
    if (!reserve(&w->trails, w->trail_count, 1, MOST_TRAILS, sizeof *w->trails)) {
        w->dropped = true;
        return false;
    }
    w->trails[w->trail_count++] = *trail;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct gr_trace_trail *x = a, *y = b;
    if (x->site != y->site)
        return x->site - y->site;
    return x->block != y->block ? x->block - y->block : x->warp - y->warp;
}

/* The order of blocks is by z, y, x, so that it does not depend on the host's threads. */
static bool is_before(const unsigned *a, const unsigned *b)
{
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i])
            return a[i] < b[i];
    return false;
}

static void order_blocks(struct gr_trace_walks *w)
{
    unsigned ordered[GR_WALKED_BLOCKS][3];
    int place[GR_WALKED_BLOCKS];
    for (int i = 0; i < w->block_count; i++) {
        place[i] = 0;
        for (int j = 0; j < w->block_count; j++)
            place[i] += is_before(w->blocks[j], w->blocks[i]);
        memcpy(ordered[place[i]], w->blocks[i], sizeof ordered[0]);
    }
    memcpy(w->blocks, ordered, (size_t)w->block_count * sizeof ordered[0]);
    for (int i = 0; i < w->trail_count; i++)
        w->trails[i].block = place[w->trails[i].block];
}

void gr_walks_finish(struct gr_trace_walks *w, const int *number)
{
    int kept = 0;
    for (int i = 0; i < w->trail_count; i++) {
        struct gr_trace_trail trail = w->trails[i];
        trail.site = number[trail.site];
        if (trail.site >= 0)
            w->trails[kept++] = trail;
    }
    w->trail_count = kept;
    order_blocks(w);
    if (kept)
        qsort(w->trails, (size_t)kept, sizeof *w->trails, by_place);
}
