/* merge.c: ptxas makes one wide load of neighbouring scalar loads from shared memory where it knows them to be aligned;
 * a host compiler does not. Here consecutive executions of one access at ascending neighbouring addresses, aligned for
 * the wider access in every lane, become one. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <stdlib.h>
#include <string.h>

enum { PENDING = 64, WIDEST = 16 };

/* A run of neighbours that may go on. */
struct gr_pending {
    struct gr_record first;
    int count, lanes, first_thread;
    uint64_t address[GR_TRACE_LANES];
    uint8_t lane[GR_TRACE_LANES];
};

struct heap {
    struct gr_pending runs[PENDING];
    int used;
};

bool gr_merge_open(struct gr_tracer *t)
{
    t->pending = calloc(1, sizeof(struct heap));
    return t->pending != NULL;
}

void gr_merge_close(struct gr_tracer *t)
{
    free(t->pending);
}

static bool aligned(const struct gr_pending *p, int skip, int bytes)
{
    for (int i = 0; i < p->lanes; i++)
        if ((p->address[i] + (uint64_t)skip) % (uint64_t)bytes != 0)
            return false;
    return true;
}

/* Shows the run to the observers in the widest pieces that fit. */
static void finish(struct gr_tracer *t, struct gr_pending *p)
{
    int unit = p->first.bytes, total = p->count * unit, done = 0;
    uint64_t address[GR_TRACE_LANES];
    while (done < total) {
        int piece = WIDEST;
        while (piece > unit && (piece > total - done || !aligned(p, done, piece)))
            piece /= 2;
        for (int i = 0; i < p->lanes; i++)
            address[i] = p->address[i] + (uint64_t)done;
        struct gr_record record = p->first;
        record.address = address[0];
        gr_observe(t, &record, piece, address, p->lane, p->lanes, p->first_thread);
        done += piece;
    }
    p->count = 0;
}

void gr_merge_flush(struct gr_tracer *t)
{
    struct heap *heap = (struct heap *)t->pending;
    for (int i = 0; i < heap->used; i++)
        if (heap->runs[i].count)
            finish(t, &heap->runs[i]);
    heap->used = 0;
}

static bool goes_on(const struct gr_pending *p, const uint64_t *address, const uint8_t *lane,
                    int lanes)
{
    uint64_t distance = (uint64_t)p->count * p->first.bytes;
    if (p->lanes != lanes || distance >= WIDEST)
        return false;
    uint64_t differs = 0;
    for (int i = 0; i < lanes; i++)
        differs |= (address[i] ^ (p->address[i] + distance)) | (uint64_t)(lane[i] ^ p->lane[i]);
    return differs == 0;
}

static struct gr_pending *run_of(struct gr_tracer *t, struct heap *heap, uint32_t code)
{
    for (int i = 0; i < heap->used; i++)
        if (heap->runs[i].first.code == code)
            return &heap->runs[i];
    if (heap->used == PENDING)
        gr_merge_flush(t);
    struct gr_pending *fresh = &heap->runs[heap->used++];
    fresh->count = 0;
    return fresh;
}

void gr_merge_request(struct gr_tracer *t, const struct gr_record *r, const uint64_t *address,
                      const uint8_t *lane, int lanes, int first_thread)
{
    bool mergeable = t->run->ask->merge && (r->bytes == 4 || r->bytes == 8) &&
                     r->access <= GR_ACCESS_STORE &&
                     r->address - gr_shared_base() < gr_shared_extent();
    if (!mergeable) {
        gr_observe(t, r, r->bytes, address, lane, lanes, first_thread);
        return;
    }
    struct gr_pending *p = run_of(t, (struct heap *)t->pending, r->code);
    if (p->count && !goes_on(p, address, lane, lanes))
        finish(t, p);
    if (p->count++ == 0) {
        p->first = *r;
        p->lanes = lanes;
        p->first_thread = first_thread;
        memcpy(p->address, address, (size_t)lanes * sizeof *address);
        memcpy(p->lane, lane, (size_t)lanes);
    }
}
