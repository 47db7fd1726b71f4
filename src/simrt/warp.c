/* warp.c: combines the records of a warp's lanes into requests, which are accesses that lanes
 * execute together. SPDX-License-Identifier: MIT
 *
 * Lanes of a warp that are at the same access execute it together. If all lanes recorded the same
 * accesses, their n-th records are one request. If they differ, the lane that is furthest behind in
 * the program goes first, together with the lanes that are at the same place. So lanes
 * that skipped a branch wait after it, and lanes that left a loop early wait for the others, as
 * they do on the hardware. A lane that skipped an access in a loop waits at the mark of the next
 * iteration, whose code is that of the loop's end. */
#include "simrt/global_history.h"

#include <string.h>

/* The lanes of a warp that have records. */
struct party {
    struct gr_fiber *lanes;
    int count;
    uint8_t who[GR_TRACE_LANES];
    int members;
};

static struct party gather(struct gr_fiber *lanes, int count)
{
    struct party p = {.lanes = lanes, .count = count};
    for (int i = 0; i < count; i++)
        if (lanes[i].count > 0)
            p.who[p.members++] = (uint8_t)i;
    return p;
}

/* Are the two records different accesses? At an edge, a copy may have fewer bytes in some lanes. */
static uint32_t differ(const struct gr_record *a, const struct gr_record *b)
{
    return (a->code ^ b->code) | (uint32_t)(a->access ^ b->access) |
           (uint32_t)(a->bytes ^ b->bytes);
}

/* Passes record number j of each member to the history of global memory. */
static __attribute__((noinline)) void see_row(struct gr_tracer *t, const struct party *p,
                                              const struct gr_record *const *rows, uint32_t j)
{
    const struct gr_record *records[GR_TRACE_LANES];
    for (int i = 0; i < p->members; i++)
        records[i] = &rows[i][j];
    gr_globals_see(t, records, p->who, p->members, p->lanes[0].linear);
}

/* Consumes records from the front as long as all members agree. Returns how many. */
static uint32_t consume_together(struct gr_tracer *t, const struct party *p)
{
    uint64_t address[GR_TRACE_LANES];
    const struct gr_record *rows[GR_TRACE_LANES];
    const struct gr_fiber *first = &p->lanes[p->who[0]];
    uint32_t least = first->count;
    for (int i = 0; i < p->members; i++) {
        rows[i] = p->lanes[p->who[i]].records;
        if (p->lanes[p->who[i]].count < least)
            least = p->lanes[p->who[i]].count;
    }
    for (uint32_t j = 0; j < least; j++) {
        const struct gr_record *head = &rows[0][j];
        uint32_t differs = 0;
        for (int i = 0; i < p->members; i++) {
            differs |= differ(&rows[i][j], head);
            address[i] = rows[i][j].address;
        }
        if (differs)
            return j;
        if (__builtin_expect(gr_globals_want(t, head), 0))
            see_row(t, p, rows, j);
        if (head->access < GR_TRACE_ITERATION)
            gr_merge_request(t, head, address, p->who, p->members, p->lanes[0].linear);
    }
    return least;
}

/* The lane's next record. Null: it has none until it is released from where it waits. */
static const struct gr_record *head_of(struct gr_sm *sm, struct gr_fiber *lane, uint32_t *at)
{
    if (*at == lane->count && lane->state == GR_FIBER_FULL) {
        gr_sm_refill(sm, lane);
        *at = 0;
    }
    return *at < lane->count ? &lane->records[*at] : NULL;
}

/* Is record a before b in the program? An asynchronous copy is two accesses of one code, and a lane
 * may make the second alone. */
static bool is_before(const struct gr_record *a, const struct gr_record *b)
{
    return a->code != b->code ? a->code < b->code : a->access < b->access;
}

static void consume_apart(struct gr_tracer *t, struct gr_sm *sm, struct party *p, uint32_t from)
{
    uint32_t at[GR_TRACE_LANES];
    for (int i = 0; i < p->count; i++)
        at[i] = p->lanes[i].count ? from : 0;
    for (;;) {
        const struct gr_record *heads[GR_TRACE_LANES], *behind = NULL;
        for (int i = 0; i < p->count; i++) {
            heads[i] = head_of(sm, &p->lanes[i], &at[i]);
            if (heads[i] && (!behind || is_before(heads[i], behind)))
                behind = heads[i];
        }
        if (!behind || sm->outcome.status != GR_SIM_DONE)
            return;
        const struct gr_record *records[GR_TRACE_LANES];
        uint64_t address[GR_TRACE_LANES];
        uint8_t who[GR_TRACE_LANES];
        int members = 0;
        const struct gr_record front = *behind;
        for (int i = 0; i < p->count; i++)
            if (heads[i] && !differ(heads[i], &front)) {
                records[members] = heads[i];
                address[members] = heads[i]->address;
                who[members++] = (uint8_t)i;
                at[i]++;
            }
        if (gr_globals_want(t, &front))
            gr_globals_see(t, records, who, members, p->lanes[0].linear);
        if (front.access < GR_TRACE_ITERATION)
            gr_merge_request(t, &front, address, who, members, p->lanes[0].linear);
    }
}

void gr_trace_warp(struct gr_tracer *t, struct gr_sm *sm, struct gr_fiber *lanes, int count)
{
    for (;;) {
        struct party p = gather(lanes, count);
        if (p.members == 0)
            return;
        uint32_t done = consume_together(t, &p);
        bool all = true;
        for (int i = 0; i < p.members; i++)
            all &= lanes[p.who[i]].count == done;
        if (!all)
            consume_apart(t, sm, &p, done);
        bool full = false;
        for (int i = 0; i < count; i++) {
            lanes[i].count = 0;
            full |= lanes[i].state == GR_FIBER_FULL;
        }
        if (!full || sm->outcome.status != GR_SIM_DONE)
            return;
        for (int i = 0; i < count; i++)
            if (lanes[i].state == GR_FIBER_FULL)
                gr_sm_refill(sm, &lanes[i]);
    }
}
