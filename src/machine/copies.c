/* copies.c: a warp's queue of asynchronous copies. SPDX-License-Identifier: MIT */
#include "machine/copies.h"

#include "machine/block.h"

#include <stdlib.h>
#include <string.h>

struct copy {
    unsigned char *to;
    int bytes, group, lane;
    uint32_t step;
    uint64_t number;
    unsigned char data[16];
};

struct gr_copies {
    struct copy *list;
    int count, room;
    int group;      /* the number of the group that is being filled */
    uint64_t begun; /* copies so far */
};

void gr_copies_begin(struct gr_warp *w)
{
    if (w->copies)
        w->copies->count = w->copies->group = 0;
}

void gr_copies_free(struct gr_warp *w)
{
    if (w->copies)
        free(w->copies->list);
    free(w->copies);
    w->copies = NULL;
}

/* Copies have 4, 8 or 16 bytes. */
static void move(unsigned char *to, const unsigned char *from, int bytes)
{
    if (bytes == 16)
        memcpy(to, from, 16);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, (size_t)bytes);
}

static struct copy *next(struct gr_warp *w)
{
    if (!w->copies)
        w->copies = calloc(1, sizeof *w->copies);
    struct gr_copies *c = w->copies;
    if (c && c->count == c->room) {
        int room = c->room ? 2 * c->room : 256;
        struct copy *more = realloc(c->list, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        c->list = more;
        c->room = room;
    }
    return c ? &c->list[c->count++] : NULL;
}

static void hold(const struct gr_warp *w, const struct copy *copy, bool begins)
{
    const struct gr_machine_hold hold = {.warp = w,
                                         .lane = copy->lane,
                                         .step = copy->step,
                                         .kind = GR_ASYNC_COPY,
                                         .use = GR_USE_WRITES,
                                         .offset = (uint32_t)(copy->to - w->block->shared),
                                         .bytes = (uint32_t)copy->bytes};
    gr_block_hold(w->block, &hold, begins);
}

void gr_copies_add(struct gr_warp *w, int lane, unsigned char *to, const void *from, int bytes)
{
    struct copy *copy = next(w);
    if (!copy) {
        gr_block_fail(w, GR_BLOCK_FAILED, "no memory for an asynchronous copy");
        return;
    }
    *copy = (struct copy){.to = to,
                          .bytes = bytes,
                          .group = w->copies->group,
                          .lane = lane,
                          .step = w->pc,
                          .number = w->copies->begun++};
    if (from)
        move(copy->data, from, bytes);
    hold(w, copy, true);
}

static void arrive(const struct gr_warp *w, const struct copy *copy)
{
    move(copy->to, copy->data, copy->bytes);
    hold(w, copy, false);
}

void gr_copies_commit(struct gr_warp *w)
{
    if (w->copies)
        w->copies->group++;
}

/* Those of earlier groups than `group` and those with smaller numbers than `number` arrive. */
static void arrive_before(struct gr_warp *w, int group, uint64_t number)
{
    struct gr_copies *c = w->copies;
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->list[i].group < group || c->list[i].number < number)
            arrive(w, &c->list[i]);
        else if (kept == i)
            kept++;
        else
            c->list[kept++] = c->list[i];
    }
    c->count = kept;
}

void gr_copies_wait(struct gr_warp *w, int pending)
{
    if (w->copies)
        arrive_before(w, w->copies->group - pending, 0);
}

void gr_copies_arrive(struct gr_warp *w)
{
    if (w->copies)
        arrive_before(w, w->copies->group + 1, 0);
}

uint64_t gr_copies_begun(const struct gr_warp *w)
{
    return w->copies ? w->copies->begun : 0;
}

void gr_copies_arrive_first(struct gr_warp *w, uint64_t count)
{
    if (w->copies)
        arrive_before(w, 0, count);
}
