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

enum { LINE_BYTES = 128 };

static void keep_copy(struct gr_tracer *t, const struct gr_request *q, int sectors)
{
    t->copied.index = q->index + 1;
    t->copied.sectors = sectors;
    t->copied.lanes = 0;
    for (int i = 0; i < q->lanes; i++) {
        t->copied.lanes |= UINT64_C(1) << q->lane[i];
        t->copied.from[q->lane[i]] = q->address[i];
    }
}

/* Asynchronous copies that bypass L1 write to shared memory directly: what is requested is a sector
 * there, from one line of 128 bytes of global memory. So a sector of shared memory whose bytes come
 * from two lines counts twice, and two sectors of global memory that arrive in one count once.
 * If several lanes write to one place, one of their copies is made. For 59 of 60 patterns of lanes
 * these are the counts of an H200 (docs/simulator.md). */
static void copies_arrive(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_copied *c = &t->copied;
    uint64_t seen[GR_TRACE_LANES][2];
    int count = 0;
    if (!c->index || q->bytes != GR_PAST_L1_BYTES)
        return;
    for (int i = 0; i < q->lanes; i++) {
        const uint64_t to = q->address[i], sector = to / gr_sector_bytes;
        const uint64_t line = c->from[q->lane[i]] / LINE_BYTES;
        bool again = !(c->lanes >> q->lane[i] & 1); /* it writes zeros */
        for (int k = i + 1; k < q->lanes && !again; k++)
            again = q->address[k] == q->address[i];
        for (int k = 0; k < count && !again; k++)
            again = seen[k][0] == sector && seen[k][1] == line;
        if (again)
            continue;
        seen[count][0] = sector;
        seen[count++][1] = line;
    }
    t->shapes[c->index - 1].now.sectors += count - c->sectors;
    c->index = 0;
}

static void shared(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->access == GR_TRACE_ARRIVES)
        copies_arrive(t, q);
}

static void global(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_shape *s = q->shape;
    gr_request_cost(q, t->sm->warp);
    const int sectors = s->sectors[gr_in_sector(q->address[0])];
    s->now.requests++;
    s->now.lanes += q->lanes;
    s->now.sectors += sectors;
    s->now.sectors_ideal += s->ideal;
    t->copied.index = 0;
    if (q->past_l1)
        keep_copy(t, q, sectors);
    if (sectors > q->site->worst)
        keep_worst(t, q, sectors);
}

const struct gr_observer gr_observe_coalescing = {.global = global, .shared = shared};
