/* observe_traffic.c: counts the distinct sectors of each global array that a block accesses, and
 * marks those that the grid accesses: the least traffic from L2 and from DRAM, if nothing is
 * fetched twice. SPDX-License-Identifier: MIT */
#include "simrt/progress.h"
#include "simrt/tracer.h"

#include <stdlib.h>

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
        t->stamps[i] = calloc((size_t)(a->hi - a->lo) / gr_sector_bytes + 2, sizeof(uint32_t));
        if (!t->stamps[i])
            return false;
    }
    return true;
}

/* Several host threads raise the same array's reach. */
static void reach_to(const struct gr_array *array, uint64_t end)
{
    uint64_t *reach = (uint64_t *)&array->reach, before = *reach;
    while (before < end && !__atomic_compare_exchange_n(reach, &before, end, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->space != GR_SPACE_GLOBAL || !q->array || q->lowest < q->array->lo ||
        q->end > q->array->hi)
        return;
    reach_to(q->array, q->end);
    uint32_t *stamps = t->stamps[q->site->array];
    uint64_t last = ~0ULL, start = q->array->lo;
    for (int i = 0; i < q->lanes; i++) {
        uint64_t sector = (q->address[i] - start) / gr_sector_bytes;
        if (sector == last)
            continue;
        last = sector;
        if (stamps[sector] == t->serial)
            continue;
        stamps[sector] = t->serial;
        if (++t->fresh % GR_FRESH == 0)
            gr_watch_fresh();
        q->array->seen[sector] = 1;
        q->shape->now.distinct_sectors++;
    }
}

const struct gr_observer gr_observe_traffic = {
    .open = open_stamps, .close = close_stamps, .request = request};
