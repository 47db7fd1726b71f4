/* device_heap.c: the heap of device code. The table of allocations is outside of the heap, so that
 * a kernel that writes outside of its allocation damages only its own data.
 * SPDX-License-Identifier: MIT */
#include "machine/device_heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 16, UNITS = GR_HEAP_BYTES / UNIT };

struct gr_heap {
    pthread_mutex_t lock;
    unsigned char *at;
    uint32_t first;        /* no unit before it is free */
    uint32_t taken[UNITS]; /* for the first unit of an allocation, its number of units; for the
                              other units in use, 1 */
    bool begins[UNITS];
};

struct gr_heap *gr_heap_create(unsigned char *at)
{
    struct gr_heap *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->at = at;
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

void gr_heap_free(struct gr_heap *h)
{
    if (h)
        pthread_mutex_destroy(&h->lock);
    free(h);
}

/* Returns the first of `wanted` consecutive free units, or UNITS if there are none. */
static uint32_t find(const struct gr_heap *h, uint32_t wanted)
{
    uint32_t at = h->first, free_units = 0;
    while (at < UNITS && free_units < wanted) {
        if (h->taken[at]) {
            at += h->begins[at] ? h->taken[at] : 1;
            free_units = 0;
        } else {
            at++;
            free_units++;
        }
    }
    return free_units == wanted ? at - wanted : UNITS;
}

unsigned char *gr_heap_take(struct gr_heap *h, uint64_t bytes)
{
    unsigned char *result = NULL;
    if (bytes > GR_HEAP_BYTES)
        return NULL;
    const uint32_t wanted = bytes ? (uint32_t)((bytes + UNIT - 1) / UNIT) : 1;
    pthread_mutex_lock(&h->lock);
    const uint32_t at = find(h, wanted);
    if (at < UNITS) {
        for (uint32_t i = 0; i < wanted; i++)
            h->taken[at + i] = 1;
        h->taken[at] = wanted;
        h->begins[at] = true;
        h->first = at == h->first ? at + wanted : h->first;
        result = h->at + (size_t)at * UNIT;
    }
    pthread_mutex_unlock(&h->lock);
    if (result)
        memset(result, 0xff, (size_t)wanted * UNIT); /* NaN until it is written */
    return result;
}

bool gr_heap_give(struct gr_heap *h, uint64_t address)
{
    const uint64_t offset = address - (uintptr_t)h->at;
    const uint32_t at = (uint32_t)(offset / UNIT);
    if (offset >= GR_HEAP_BYTES || offset % UNIT != 0)
        return false;
    pthread_mutex_lock(&h->lock);
    const bool was = h->begins[at];
    const uint32_t units = was ? h->taken[at] : 0;
    h->begins[at] = false;
    for (uint32_t i = 0; i < units; i++)
        h->taken[at + i] = 0;
    h->first = was && at < h->first ? at : h->first;
    pthread_mutex_unlock(&h->lock);
    return was;
}
