/* tracer.c: a tracer's memory, and what it does when blocks begin and end and when threads meet.
 * SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include "simrt/classes.h"
#include "simrt/global_history.h"
#include "simrt/progress.h"
#include "simrt/releases.h"
#include "simrt/sites.h"

#include <stdlib.h>
#include <string.h>

/* Lists the functions that receive each request, so that none is called for a space that it
 * ignores. */
static void list_observers(struct gr_tracer *t)
{
    int global = 0, shared = 0;
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++) {
        if ((*o)->global && global < GR_OBSERVERS)
            t->global[global++] = (*o)->global;
        if ((*o)->shared && shared < GR_OBSERVERS)
            t->in_shared[shared++] = (*o)->shared;
    }
}

bool gr_tracer_open(struct gr_tracer *t, struct gr_sm *sm, struct gr_run *run)
{
    /* A few records more than are used, so that the lanes' buffers are in different sets of the
     * cache. */
    const size_t stride = GR_RECORDS + 4;
    *t = (struct gr_tracer){.sm = sm, .run = run, .phase = 1};
    t->shapes = calloc(GR_SITES, sizeof *t->shapes);
    t->touched = calloc(GR_SITES, sizeof *t->touched);
    t->records = malloc(stride * (size_t)sm->warp * sizeof *t->records);
    bool whole = t->shapes && t->touched && t->records && gr_merge_open(t) && gr_sites_open(t) &&
                 gr_lane_order_open(&t->order, sm->threads, sm->warp) && gr_releases_open(t) &&
                 gr_globals_open(t);
    list_observers(t);
    for (const struct gr_observer *const *o = gr_observe_all; *o && whole; o++)
        whole = !(*o)->open || (*o)->open(t);
    for (int i = 0; i < sm->threads && whole; i++)
        sm->fibers[i].records = t->records + stride * (size_t)(i % sm->warp);
    return whole;
}

void gr_tracer_close(struct gr_tracer *t)
{
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->close)
            (*o)->close(t);
    gr_merge_close(t);
    gr_sites_close(t);
    gr_lane_order_close(&t->order);
    gr_releases_close(t);
    gr_globals_close(t);
    gr_doubts_close(t);
    free(t->shapes);
    free(t->touched);
    free(t->records);
    *t = (struct gr_tracer){0};
}

void gr_trace_block_begins(struct gr_tracer *t, struct gr_sm *sm)
{
    (void)sm;
    t->serial++;
    t->first_phase = ++t->phase;
    t->abandoned = false;
    t->wild_count = 0;
    gr_releases_begin(t);
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->block)
            (*o)->block(t);
}

void gr_trace_block_ends(struct gr_tracer *t, struct gr_sm *sm)
{
    gr_merge_flush(t);
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->block_ends)
            (*o)->block_ends(t);
    gr_doubts_report(t);
    gr_wild_report(t);
    if (t->abandoned)
        atomic_store(&t->run->abandoned, true);
    gr_classes_add(t->run, t, &sm->block);
    for (int i = 0; i < t->touched_count; i++) {
        struct gr_shape *shape = &t->shapes[t->touched[i]];
        memset(&shape->now, 0, sizeof shape->now);
        shape->touched = false;
    }
    t->touched_count = 0;
}

void gr_trace_launch_done(struct gr_run *run)
{
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->done)
            (*o)->done(run);
}

void gr_trace_warp_met(struct gr_tracer *t, int warp, uint64_t mask, int present)
{
    gr_merge_flush(t);
    gr_lanes_meet(&t->order, warp, mask, present);
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->met)
            (*o)->met(t, warp, mask, present);
}

static void next_phase(struct gr_tracer *t)
{
    t->phase++;
    gr_releases_barrier(t);
    for (const struct gr_observer *const *o = gr_observe_all; *o; o++)
        if ((*o)->barrier)
            (*o)->barrier(t);
}

void gr_trace_phase(struct gr_tracer *t)
{
    gr_merge_flush(t);
    next_phase(t);
}

void gr_trace_warp_waits(struct gr_tracer *t)
{
    gr_merge_flush(t);
}

/* Do the two threads wait at the same barrier of the source? The compiler may have made copies of
 * it. */
static bool same_barrier(const struct gr_tracer *t, const struct gr_fiber *x,
                         const struct gr_fiber *y)
{
    if (x->site == y->site)
        return true;
    const struct gr_sim_line *a = gr_line_find(t->run, gr_code_of(x->site)),
                             *b = gr_line_find(t->run, gr_code_of(y->site));
    return a && b && a->line == b->line && a->file == b->file;
}

/* Two threads that have not exited and wait at different barriers. */
struct apart {
    const struct gr_fiber *one, *other; /* null: there are none */
};

static struct apart find_apart(const struct gr_tracer *t, const struct gr_sm *sm, int first,
                               int end)
{
    const struct gr_fiber *one = NULL;
    for (int i = first; i < end && i < sm->threads; i++) {
        const struct gr_fiber *f = &sm->fibers[i];
        if (f->state == GR_FIBER_DONE)
            continue;
        if (!one)
            one = f;
        else if (!same_barrier(t, one, f))
            return (struct apart){one, f};
    }
    return (struct apart){NULL, NULL};
}

void gr_trace_barrier(struct gr_tracer *t, struct gr_sm *sm, const struct gr_fiber *waits,
                      const struct gr_fiber *stuck, const struct gr_fiber *exited)
{
    struct apart apart = {waits, stuck}, split = {NULL, NULL};
    gr_watch_barrier();
    next_phase(t);
    if (!stuck)
        apart = find_apart(t, sm, 0, sm->threads);
    if (t->abandoned || (!apart.other && !exited))
        return;
    for (int i = 0; i < sm->threads && !stuck && apart.other && !split.other; i += sm->warp)
        split = find_apart(t, sm, i, i + sm->warp);
    if (split.other)
        apart = split;
    else if (!apart.other)
        apart = (struct apart){waits, exited};
    const struct gr_fault_at fault = {.kind = GR_FIND_BARRIER,
                                      .code = gr_code_of(apart.one->site),
                                      .thread = apart.one->linear,
                                      .other = apart.other->linear,
                                      .other_code =
                                          apart.other == exited ? 0 : gr_code_of(apart.other->site),
                                      .hangs = stuck || split.other};
    gr_fault_report(t, &fault);
}

void gr_trace_apart(struct gr_tracer *t, const struct gr_fiber *one, const struct gr_fiber *other)
{
    const struct gr_fault_at fault = {.kind = GR_FIND_BARRIER,
                                      .code = gr_code_of(one->site),
                                      .thread = one->linear,
                                      .other = other->linear,
                                      .other_code = gr_code_of(other->site),
                                      .hangs = true};
    gr_fault_report(t, &fault);
}

void gr_trace_unnamed(struct gr_tracer *t, uint64_t mask, const void *site)
{
    const struct gr_fault_at fault = {.kind = GR_FIND_BARRIER,
                                      .code = gr_code_of(site),
                                      .thread = t->sm->current->linear,
                                      .other = -1,
                                      .hangs = true,
                                      .unnamed = mask};
    gr_fault_report(t, &fault);
}

void gr_trace_absent(struct gr_tracer *t, const struct gr_fiber *reads,
                     const struct gr_fiber *exited)
{
    const struct gr_fault_at fault = {.kind = GR_FIND_BARRIER,
                                      .code = gr_code_of(reads->site),
                                      .thread = reads->linear,
                                      .other = exited->linear,
                                      .hangs = true,
                                      .absent = reads->mask};
    if (!t->abandoned)
        gr_fault_report(t, &fault);
}

/* ---- Requests. ---- */

/* Makes the request's addresses the site's shape, and forgets the costs of the previous shape. */
static void reshape(struct gr_shape *s, const struct gr_request *q)
{
    s->lanes = q->lanes;
    s->bytes = q->bytes;
    s->wavefronts = s->ideal = 0;
    s->chunk_count = 0;
    s->walked = 0;
    memset(s->walked_costs, 0, sizeof s->walked_costs);
    s->lowest = s->highest = 0;
    s->bits = 0;
    s->marked_in = s->logged_in = 0;
    memset(s->sectors, 0, (size_t)gr_sector_bytes * sizeof *s->sectors);
    for (int i = 0; i < q->lanes; i++) {
        int64_t offset = (int64_t)(q->address[i] - q->address[0]);
        s->offset[i] = offset;
        s->bits |= (uint64_t)offset;
        s->lowest = offset < s->lowest ? offset : s->lowest;
        s->highest = offset > s->highest ? offset : s->highest;
    }
}

static bool is_shape(const struct gr_shape *s, const struct gr_request *q)
{
    uint64_t differs = (uint64_t)(s->lanes ^ q->lanes) | (uint64_t)(s->bytes ^ q->bytes);
    for (int i = 0; i < q->lanes; i++)
        differs |= (q->address[i] - q->address[0]) ^ (uint64_t)s->offset[i];
    return differs == 0;
}

void gr_request_begin(struct gr_tracer *t, const struct gr_record *record, int bytes,
                      struct gr_request *q)
{
    const int index = gr_site_find(t, record, bytes);
    struct gr_shape *shape = &t->shapes[index];
    if (!shape->touched) {
        shape->touched = true;
        t->touched[t->touched_count++] = index;
    }
    q->index = index;
    q->kept = NULL;
    q->site = &t->run->sites[index];
    q->shape = shape;
    q->array = q->site->array < 0 ? NULL : &gr_arrays[q->site->array];
    q->access = record->access;
    q->space = q->site->space;
    q->bytes = bytes;
    q->past_l1 = record->access == GR_ACCESS_COPY && bytes == GR_PAST_L1_BYTES &&
                 record->value != GR_VALUE_THROUGH_L1;
}

void gr_request_shape(struct gr_request *q, bool same)
{
    struct gr_shape *s = q->shape;
    if (!same && !is_shape(s, q))
        reshape(s, q);
    q->lowest = q->address[0] + (uint64_t)s->lowest;
    q->end = q->address[0] + (uint64_t)s->highest + (uint64_t)q->bytes;
}

void gr_request_pass(struct gr_tracer *t, const struct gr_request *q)
{
    gr_observe_fn *const *observe = q->space == GR_SPACE_GLOBAL   ? t->global
                                    : q->space == GR_SPACE_SHARED ? t->in_shared
                                                                  : NULL;
    t->accesses += q->lanes;
    for (; observe && *observe; observe++)
        (*observe)(t, q);
}

static uint64_t mask_of(const uint8_t *lane, int lanes)
{
    uint64_t mask = 0;
    const int first = lane[0], last = lane[lanes - 1];
    if (last - first + 1 == lanes) /* they are neighbours */
        return ~0ULL >> (GR_TRACE_LANES - lanes) << first;
    for (int i = 0; i < lanes; i++)
        mask |= 1ULL << lane[i];
    return mask;
}

void gr_observe(struct gr_tracer *t, const struct gr_record *record, int bytes,
                const uint64_t *address, const uint8_t *lane, int lanes, int first_thread)
{
    uint64_t offset[GR_TRACE_LANES];
    struct gr_request q;
    gr_request_begin(t, record, bytes, &q);
    const uint64_t base = q.space == GR_SPACE_SHARED ? gr_shared_base() : 0;
    for (int i = 0; i < lanes; i++)
        offset[i] = address[i] - base;
    q.address = offset;
    q.lane = lane;
    q.lanes = lanes;
    q.mask = mask_of(lane, lanes);
    q.first_thread = first_thread;
    gr_request_shape(&q, false);
    gr_request_pass(t, &q);
}
