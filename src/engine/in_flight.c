/* in_flight.c: records the words of shared memory that asynchronous operations read or write.
 * SPDX-License-Identifier: MIT */
#include "engine/in_flight.h"

#include "machine/machine_wgmma.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, LINE = 16 /* words */ };

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
    const size_t words = (size_t)word_count(f) + 1;
    f->writes = calloc(words, sizeof *f->writes);
    bool whole = f->writes != NULL;
    for (int use = 0; use < GR_USES; use++) {
        f->by[use] = calloc(words, sizeof *f->by[use]);
        f->lines[use] = calloc(words / LINE + 1, sizeof *f->lines[use]);
        whole &= f->by[use] && f->lines[use];
    }
    if (whole)
        return f;
    gr_in_flight_close(f);
    return NULL;
}

void gr_in_flight_close(struct gr_in_flight *f)
{
    for (int use = 0; f && use < GR_USES; use++) {
        free(f->by[use]);
        free(f->lines[use]);
    }
    if (f)
        free(f->writes);
    free(f);
}

void gr_in_flight_begin(struct gr_in_flight *f)
{
    for (int use = 0; use < GR_USES; use++) {
        const size_t words = (size_t)word_count(f);
        if (f->count[use] > 0) {
            memset(f->by[use], 0, words * sizeof *f->by[use]);
            memset(f->lines[use], 0, (words / LINE + 1) * sizeof *f->lines[use]);
        }
        f->count[use] = 0;
    }
    f->phase++;
    f->barrier = f->fenced = f->time;
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
        struct gr_holder *h = &f->by[use][i];
        const uint32_t count = h->count, phase = h->phase;
        *h = *holder;
        h->count = count + 1;
        h->phase = phase;
        f->count[use]++;
        f->lines[use][i / LINE].count++;
        if (f->wants_fences && use != GR_USE_READS)
            f->writes[i].warp = NULL;
    }
}

void gr_in_flight_remove(struct gr_in_flight *f, int64_t offset, int64_t bytes, enum gr_use use,
                         const struct gr_holder *holder)
{
    if (!is_inside(f, offset, bytes))
        return;
    for (int64_t i = offset / WORD; i * WORD < offset + bytes; i++) {
        struct gr_holder *h = &f->by[use][i];
        if (h->count == 0)
            continue;
        f->count[use]--;
        f->lines[use][i / LINE].count--;
        if (--h->count == 0) {
            *h = *holder;
            h->count = 0;
            h->phase = f->last_end[use] = f->lines[use][i / LINE].phase = f->phase;
        }
    }
}

/* Any number of reads may overlap, and any number of reductions (GR_USE_JOINS). All other pairs of
 * uses conflict. */
static bool go_together(enum gr_use x, enum gr_use y)
{
    return x == y && x != GR_USE_WRITES;
}

/* Has the warp itself waited for the end of the operation? A wait for wgmma covers the four warps
 * of a warpgroup. An operation that completes on an mbarrier is known to have ended by the phase of
 * the mbarrier. How another block learns of the end is not modelled, so it is assumed to know. */
static bool has_waited(const struct gr_holder *h, const struct gr_warp *w)
{
    if (h->warp->block != w->block)
        return true;
    if (h->kind == GR_ASYNC_PRODUCT)
        return h->warp->number / GR_WGMMA_WARPS == w->number / GR_WGMMA_WARPS;
    return h->kind != GR_ASYNC_BULK && h->warp == w;
}

static bool is_held(const struct gr_in_flight *f, const struct gr_held_line *line)
{
    return line->count > 0 || line->phase == f->phase;
}

static bool holds(const struct gr_in_flight *f, const struct gr_holder *h, const struct gr_warp *w)
{
    return h->count > 0 || (h->phase == f->phase && !has_waited(h, w));
}

const struct gr_holder *gr_in_flight_find(const struct gr_in_flight *f, int64_t offset,
                                          int64_t bytes, enum gr_use use, const struct gr_warp *w,
                                          enum gr_use *held)
{
    if (!is_inside(f, offset, bytes))
        return NULL;
    const uint64_t first = (uint64_t)offset / WORD, last = (uint64_t)(offset + bytes - 1) / WORD;
    for (int i = 0; i < GR_USES; i++) {
        const enum gr_use by = (enum gr_use)i;
        if (go_together(use, by) || !gr_in_flight_used(f, by))
            continue;
        for (uint64_t k = first; k <= last; k++) {
            if (!is_held(f, &f->lines[by][k / LINE])) {
                k |= LINE - 1; /* continue with the next line */
                continue;
            }
            if (holds(f, &f->by[by][k], w)) {
                *held = by;
                return &f->by[by][k];
            }
        }
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
        f->writes[i] = *write;
        f->writes[i].time = f->time;
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
        const struct gr_generic_write *write = &f->writes[i];
        if (write->warp && write->time > f->fenced &&
            write->time > f->fenced_by[write->warp->number])
            return write;
    }
    return NULL;
}
