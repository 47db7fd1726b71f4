/* observe_traffic.c: counts the distinct sectors of each global array that a block accesses, and
 * marks those that the grid accesses: the least traffic from L2 and from DRAM, if nothing is
 * fetched twice. SPDX-License-Identifier: MIT */
#include "simrt/progress.h"
#include "simrt/tracer.h"

#include <stdlib.h>
#include <string.h>

/* A stamp is a byte, so that the stamps of a large array take less of the cache. After this many
 * blocks the numbers begin again. */
enum { STAMPS = 255 };

static size_t sectors_of(const struct gr_array *a)
{
    return (size_t)(a->hi - a->lo) / gr_sector_bytes + 2;
}

static void close_stamps(struct gr_tracer *t)
{
    for (int i = 0; i < GR_ARRAYS; i++)
        free(t->stamps[i]);
}

static bool open_stamps(struct gr_tracer *t)
{
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        if (a->space != GR_SPACE_GLOBAL)
            continue;
        t->stamps[i] = calloc(sectors_of(a), 1);
        if (!t->stamps[i])
            return false;
    }
    return true;
}

static void block(struct gr_tracer *t)
{
    t->stamp = (unsigned char)(t->serial % STAMPS + 1);
    for (int i = 0; i < gr_array_count && t->stamp == 1; i++)
        if (t->stamps[i])
            memset(t->stamps[i], 0, sectors_of(&gr_arrays[i]));
}

/* Several host threads raise the same array's reach. */
static void reach_to(struct gr_array *array, uint64_t end)
{
    unsigned long long before = array->reach;
    while (before < end && !atomic_compare_exchange_weak(&array->reach, &before, end))
        ;
}

static void mark(struct gr_tracer *t, const struct gr_request *q, uint64_t sector)
{
    unsigned char *stamps = t->stamps[q->site->array];
    if (stamps[sector] == t->stamp)
        return;
    stamps[sector] = t->stamp;
    if (++t->fresh % GR_FRESH == 0)
        gr_watch_fresh();
    gr_mark(&q->array->seen[sector], 1);
    q->shape->now.distinct_sectors++;
}

/* Were the sectors marked by the last request? If the lanes' offsets are whole sectors, the first
 * lane's sector determines those of the others. */
static bool is_marked(const struct gr_tracer *t, struct gr_shape *s, uint64_t first)
{
    if ((s->bits & (gr_sector_bytes - 1)) != 0)
        return false;
    if (s->marked_in == t->serial && s->marked == first)
        return true;
    s->marked_in = t->serial;
    s->marked = first;
    return false;
}

/* Are the sectors of the request all those from its lowest byte to its end, with none that a lane
 * reaches only by the end of its access? */
static bool is_dense(struct gr_tracer *t, const struct gr_request *q, int shift)
{
    const struct gr_shape *s = q->shape;
    const uint64_t bytes = (uint64_t)q->bytes;
    if ((bytes & (bytes - 1)) != 0 || bytes > gr_sector_bytes ||
        ((s->bits | q->address[0]) & (bytes - 1)) != 0 ||
        (q->array->lo & (gr_sector_bytes - 1)) != 0)
        return false;
    gr_request_cost(q, t->sm->warp);
    return (uint64_t)s->sectors[gr_in_sector(q->address[0])] ==
           ((q->end - 1) >> shift) - (q->lowest >> shift) + 1;
}

static void global(struct gr_tracer *t, const struct gr_request *q)
{
    if (!q->array || q->lowest < q->array->lo || q->end > q->array->hi)
        return;
    reach_to((struct gr_array *)q->array, q->end);
    const int shift = __builtin_ctzll(gr_sector_bytes);
    uint64_t last = ~0ULL, start = q->array->lo;
    if (is_marked(t, q->shape, (q->address[0] - start) >> shift))
        return;
    if (is_dense(t, q, shift)) {
        for (uint64_t at = q->lowest - start; at >> shift <= (q->end - 1 - start) >> shift;
             at += gr_sector_bytes)
            mark(t, q, at >> shift);
        return;
    }
    for (int i = 0; i < q->lanes; i++) {
        uint64_t sector = (q->address[i] - start) >> shift;
        if (sector != last)
            mark(t, q, sector);
        last = sector;
    }
}

const struct gr_observer gr_observe_traffic = {
    .open = open_stamps, .close = close_stamps, .block = block, .global = global};
