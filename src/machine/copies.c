/* copies.c: a warp's queue of asynchronous copies. SPDX-License-Identifier: MIT */
#include "machine/copies.h"

#include "machine/block.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16, FIRST_ROOM = 16 };

/* The copies that one instruction makes. */
struct copy {
    uint32_t lanes, step;
    int bytes, group;
    uint64_t number;
    unsigned char *to[GR_WARP_LANES];
    unsigned char data[GR_WARP_LANES][MOST_BYTES];
};

/* A queue, because copies arrive in the order in which they were issued. */
struct gr_copies {
    struct copy *list;
    int first, end, room; /* the queue extends from `first` to `end` */
    int group;            /* the number of the group that is not committed yet */
    uint64_t begun;       /* the number of copies so far */
};

void gr_copies_begin(struct gr_warp *w)
{
    if (w->copies)
        w->copies->first = w->copies->end = w->copies->group = 0;
}

void gr_copies_free(struct gr_warp *w)
{
    if (w->copies)
        free(w->copies->list);
    free(w->copies);
    w->copies = NULL;
}

/* Moves the 4, 8 or 16 bytes of a copy. */
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

/* Makes room for one more copy, in place of copies that have arrived or in a longer list. */
static bool make_room(struct gr_copies *c)
{
    if (c->end < c->room)
        return true;
    if (c->first > 0) {
        memmove(c->list, c->list + c->first, (size_t)(c->end - c->first) * sizeof *c->list);
        c->end -= c->first;
        c->first = 0;
        return true;
    }
    const int room = c->room ? 2 * c->room : FIRST_ROOM;
    struct copy *more = realloc(c->list, (size_t)room * sizeof *more);
    if (!more)
        return false;
    c->list = more;
    c->room = room;
    return true;
}

static struct copy *next(struct gr_warp *w)
{
    if (!w->copies)
        w->copies = calloc(1, sizeof *w->copies);
    struct gr_copies *c = w->copies;
    return c && make_room(c) ? &c->list[c->end++] : NULL;
}

static void hold(const struct gr_warp *w, const struct copy *copy, int lane, bool begins)
{
    const struct gr_machine_hold hold = {.warp = w,
                                         .lane = lane,
                                         .step = copy->step,
                                         .kind = GR_ASYNC_COPY,
                                         .use = GR_USE_WRITES,
                                         .offset = (uint32_t)(copy->to[lane] - w->block->shared),
                                         .bytes = (uint32_t)copy->bytes};
    gr_block_hold(w->block, &hold, begins);
}

void gr_copies_add(struct gr_warp *w, uint32_t lanes, unsigned char *const *to,
                   unsigned char *const *from, const uint8_t kept[GR_WARP_LANES], int bytes)
{
    struct copy *copy = next(w);
    if (!copy) {
        gr_block_fail(w, GR_BLOCK_FAILED, "no memory for an asynchronous copy");
        return;
    }
    copy->lanes = lanes;
    copy->bytes = bytes;
    copy->group = w->copies->group;
    copy->step = w->pc;
    copy->number = w->copies->begun++;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        copy->to[i] = to[i];
        if (kept[i] == bytes) {
            move(copy->data[i], from[i], bytes);
        } else {
            memset(copy->data[i], 0, MOST_BYTES);
            if (kept[i])
                memcpy(copy->data[i], from[i], kept[i]);
        }
        hold(w, copy, i, true);
    }
}

static void arrive(const struct gr_warp *w, const struct copy *copy)
{
    for (uint32_t left = copy->lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        move(copy->to[i], copy->data[i], copy->bytes);
        hold(w, copy, i, false);
    }
}

void gr_copies_commit(struct gr_warp *w)
{
    if (w->copies)
        w->copies->group++;
}

/* Completes the copies of groups before `group`, and those whose number is less than `number`. */
static void arrive_before(struct gr_warp *w, int group, uint64_t number)
{
    struct gr_copies *c = w->copies;
    for (; c->first < c->end; c->first++) {
        const struct copy *copy = &c->list[c->first];
        if (copy->group >= group && copy->number >= number)
            break;
        arrive(w, copy);
    }
    if (c->first == c->end)
        c->first = c->end = 0;
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
