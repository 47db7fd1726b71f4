/* observe_coalescing.c: how many sectors the requests to global memory take, and how many they
 * would take if their bytes were contiguous. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <string.h>

static void keep_worst(struct gr_tracer *t, const struct gr_request *q, int cost)
{
    struct gr_site *site = q->site;
    pthread_mutex_lock(&t->run->lock);
    if (cost > site->worst) {
        site->worst = cost;
        site->worst_sectors = cost;
        for (int i = 0; i < GR_TRACE_LANES; i++)
            site->pattern[i] = -1;
        for (int i = 0; i < q->lanes; i++)
            site->pattern[q->lane[i]] = (int64_t)(q->address[i] - (q->array ? q->array->lo : 0));
        const struct gr_sim_index b = t->sm->block;
        memcpy(site->pattern_block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof(int[3]));
        site->pattern_thread = q->first_thread;
    }
    pthread_mutex_unlock(&t->run->lock);
}

/* ---- Copies past L1. ---- */

enum { LINE_BYTES = 128, PAST_L1_BYTES = 16 };

static void keep_copy(struct gr_tracer *t, const struct gr_request *q, int sectors)
{
    t->copied.index = q->index + 1;
    t->copied.lanes = q->lanes;
    t->copied.sectors = sectors;
    memcpy(t->copied.from, q->address, (size_t)q->lanes * sizeof *q->address);
}

/* Asynchronous copies of 16 bytes bypass L1: a sector is written directly to shared memory, and is
 * fetched once for each line of 128 bytes there that it belongs to. This was compared with an H200
 * (docs/simulator.md). */
static void copies_arrive(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_copied *c = &t->copied;
    uint64_t seen[GR_TRACE_LANES][2], base = q->array ? q->array->lo : 0;
    int count = 0;
    if (!c->index || c->lanes != q->lanes || q->bytes != PAST_L1_BYTES)
        return;
    for (int i = 0; i < q->lanes; i++) {
        uint64_t sector = c->from[i] / gr_sector_bytes;
        uint64_t line = (q->address[i] - gr_shared_base() - base) / LINE_BYTES;
        int k = count - 1;
        while (k >= 0 && (seen[k][0] != sector || seen[k][1] != line))
            k--;
        if (k >= 0)
            continue;
        seen[count][0] = sector;
        seen[count++][1] = line;
    }
    t->shapes[c->index - 1].now.sectors += count - c->sectors;
    c->index = 0;
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->access == GR_TRACE_ARRIVES)
        copies_arrive(t, q);
    if (q->space != GR_SPACE_GLOBAL || q->access == GR_TRACE_ARRIVES)
        return;
    struct gr_shape *s = q->shape;
    gr_request_cost(q, t->sm->warp);
    const int sectors = s->sectors[gr_in_sector(q->address[0])];
    s->now.requests++;
    s->now.lanes += q->lanes;
    s->now.sectors += sectors;
    s->now.sectors_ideal += s->ideal;
    if (q->access == GR_ACCESS_COPY && q->bytes == PAST_L1_BYTES)
        keep_copy(t, q, sectors);
    if (sectors > q->site->worst)
        keep_worst(t, q, sectors);
}

const struct gr_observer gr_observe_coalescing = {.request = request};
