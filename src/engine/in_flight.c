/* in_flight.c: the words of shared memory that something asynchronous is to read or write.
 * SPDX-License-Identifier: MIT */
#include "engine/in_flight.h"

#include "machine/wgmma.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };

static int64_t word_count(const struct gr_in_flight *f)
{
    return (f->bytes + WORD - 1) / WORD;
}

struct gr_in_flight *gr_in_flight_open(int64_t bytes)
{
    struct gr_in_flight *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->bytes = bytes;
    f->words = calloc((size_t)word_count(f) + 1, sizeof *f->words);
    if (f->words)
        return f;
    free(f);
    return NULL;
}

void gr_in_flight_close(struct gr_in_flight *f)
{
    if (f)
        free(f->words);
    free(f);
}

void gr_in_flight_begin(struct gr_in_flight *f)
{
    if (f->count > 0 || f->time > 0 || f->last_end > 0)
        memset(f->words, 0, (size_t)word_count(f) * sizeof *f->words);
    f->count = 0;
    f->phase = 1;
    f->last_end = 0;
    f->time = f->barrier = f->fenced = 0;
    memset(f->fenced_by, 0, sizeof f->fenced_by);
}

static bool is_inside(const struct gr_in_flight *f, int64_t offset, int64_t bytes)
{
    return offset >= 0 && bytes > 0 && offset + bytes <= f->bytes;
}

void gr_in_flight_add(struct gr_in_flight *f, int64_t offset, int64_t bytes, enum gr_use use,
                      const struct gr_holder *holder)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        struct gr_holder *h = &f->words[i].by[use];
        const uint32_t count = h->count, phase = h->phase;
        *h = *holder;
        h->count = count + 1;
        h->phase = phase;
        f->count++;
        if (use != GR_USE_READS)
            f->words[i].write.warp = NULL;
    }
}

void gr_in_flight_remove(struct gr_in_flight *f, int64_t offset, int64_t bytes, enum gr_use use,
                         const struct gr_holder *holder)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        struct gr_holder *h = &f->words[i].by[use];
        if (h->count == 0)
            continue;
        f->count--;
        if (--h->count == 0) {
            *h = *holder;
            h->count = 0;
            h->phase = f->last_end = f->phase;
        }
    }
}

/* Any number may read at once, and any number may join; nothing else goes together. */
static bool go_together(enum gr_use x, enum gr_use y)
{
    return x == y && x != GR_USE_WRITES;
}

/* Has the warp waited itself, so that it knows of the end? A wait for wgmma is one of the four
 * warps of the group. What completes on an mbarrier is known by its phase. How another block learns
 * of it is not followed. */
static bool has_waited(const struct gr_holder *h, const struct gr_warp *w)
{
    if (h->warp->block != w->block)
        return true;
    if (h->kind == GR_ASYNC_PRODUCT)
        return h->warp->number / GR_WGMMA_WARPS == w->number / GR_WGMMA_WARPS;
    return h->kind != GR_ASYNC_BULK && h->warp == w;
}

static bool holds(const struct gr_in_flight *f, const struct gr_holder *h, const struct gr_warp *w)
{
    return h->count > 0 || (h->phase == f->phase && !has_waited(h, w));
}

const struct gr_holder *gr_in_flight_find(const struct gr_in_flight *f, int64_t offset,
                                          int64_t bytes, enum gr_use use, const struct gr_warp *w,
                                          enum gr_use *held)
{
    if (!gr_in_flight_any(f) || !is_inside(f, offset, bytes))
        return NULL;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++)
        for (int by = 0; by < GR_USES; by++)
            if (holds(f, &f->words[i].by[by], w) && !go_together(use, (enum gr_use)by)) {
                *held = (enum gr_use)by;
                return &f->words[i].by[by];
            }
    return NULL;
}

void gr_in_flight_write(struct gr_in_flight *f, int64_t offset, int64_t bytes,
                        const struct gr_generic_write *write)
{
    if (!is_inside(f, offset, bytes))
        return;
    f->time++;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        f->words[i].write = *write;
        f->words[i].write.time = f->time;
    }
}

void gr_in_flight_barrier(struct gr_in_flight *f)
{
    f->barrier = f->time;
    gr_in_flight_meet(f);
}

void gr_in_flight_fence(struct gr_in_flight *f, const struct gr_warp *w)
{
    f->fenced = f->barrier;
    f->fenced_by[w->number] = f->time;
}

const struct gr_generic_write *gr_in_flight_unfenced(const struct gr_in_flight *f, int64_t offset,
                                                     int64_t bytes)
{
    if (!is_inside(f, offset, bytes))
        return NULL;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        const struct gr_generic_write *write = &f->words[i].write;
        if (write->warp && write->time > f->fenced &&
            write->time > f->fenced_by[write->warp->number])
            return write;
    }
    return NULL;
}
