/* machine_watch.c: passes the events of a block that executes machine code to the tracer.
 * SPDX-License-Identifier: MIT */
#include "engine/machine_watch.h"

#include "engine/active_lanes.h"
#include "engine/global_order.h"
#include "engine/watch_async.h"
#include "machine/lane_functions.h"
#include "simrt/progress.h"
#include "simrt/shared_history.h"

#include <string.h>

/* The address of an instruction as in the table of lines: one more than that of its first byte,
 * because a site is looked up like a return address. */
uint32_t gr_engine_program_code(const struct gr_program *p, uint32_t step)
{
    return ((uint32_t)p->section << GR_SIM_SECTION_BITS) + step * GR_STEP_BYTES + 1;
}

uint32_t gr_engine_code(const struct gr_block *b, uint32_t step)
{
    return gr_engine_program_code(b->program, step);
}

/* In local memory, the words of all lanes at the same offset are adjacent, so that a sector has
 * those of eight neighbouring lanes. */
static void count_local(const struct gr_machine_access *a)
{
    enum { SHARE = 8, WORDS = 4 };
    uint64_t seen[GR_WARP_LANES * WORDS];
    int count = 0;
    for (uint32_t left = a->active; left; left &= left - 1) {
        const uint64_t lane = (uint64_t)__builtin_ctz(left), address = a->address[lane];
        const uint64_t last = (address + (uint64_t)a->bytes - 1) / 4;
        for (uint64_t word = address / 4; word <= last; word++) {
            const uint64_t sector = word * (GR_WARP_LANES / SHARE) + lane / SHARE;
            int k = count - 1;
            while (k >= 0 && seen[k] != sector)
                k--;
            if (k < 0 && count < GR_WARP_LANES * WORDS)
                seen[count++] = sector;
        }
    }
    struct gr_executed *e = &a->warp->block->executed[a->step];
    e->local_requests++;
    e->local_sectors += count;
}

/* Are all lanes active, with the addresses of the site's last request moved by a common
 * distance? */
static bool has_shape(const struct gr_machine_access *a, const struct gr_request *q)
{
    const struct gr_shape *s = q->shape;
    return a->active == ~0u && s->lanes == GR_WARP_LANES && s->bytes == q->bytes &&
           a->warp->block->program->lanes->are_apart(a->address, s->offset);
}

/* The end of the accessed bytes, if some lanes access fewer bytes than the instruction has. */
static uint64_t end_of(const struct gr_request *q)
{
    uint64_t end = 0;
    for (int i = 0; i < q->lanes; i++) {
        const uint64_t own = q->address[i] + q->kept[q->lane[i]];
        end = own > end ? own : end;
    }
    return end;
}

static void tell_access(void *state, const struct gr_machine_access *a)
{
    struct gr_sm *sm = state;
    struct gr_tracer *t = sm->tracer;
    struct gr_active_lanes active;
    struct gr_request q;
    if (a->is_local) {
        count_local(a);
        return;
    }
    const int first = __builtin_ctz(a->active);
    const uint64_t base = a->space == GR_SPACE_SHARED ? GR_SHARED_WINDOW : 0;
    sm->current = &sm->fibers[a->warp->number * GR_WARP_LANES + first];
    struct gr_record *r = sm->current->records;
    *r = (struct gr_record){
        .address = base + a->address[first],
        .code = gr_engine_code(a->warp->block, a->step),
        .bytes = (uint8_t)a->bytes,
        .access = (uint8_t)a->access,
        .value = a->access == GR_ACCESS_COPY && !a->past_l1 ? GR_VALUE_THROUGH_L1 : a->strong};
    gr_hot.cursor = r + 1; /* for the report of an endless kernel: its last access */
    gr_request_begin(t, r, a->bytes, &q);
    gr_active_lanes(a, base - (q.space == GR_SPACE_SHARED ? GR_SHARED_WINDOW : 0), &active);
    q.address = active.address;
    q.lane = active.lane;
    q.lanes = active.count;
    q.mask = a->active;
    q.first_thread = a->warp->number * GR_WARP_LANES;
    gr_request_shape(&q, has_shape(a, &q));
    q.kept = a->kept;
    if (q.kept)
        q.end = end_of(&q);
    if (a->space == GR_SPACE_SHARED)
        gr_watch_async_access(sm, a);
    gr_engine_order_access(t, a, r, &active);
    gr_request_pass(t, &q);
}

static void report(struct gr_sm *sm, const struct gr_machine_access *a, uint32_t lanes,
                   enum gr_finding_kind kind)
{
    const uint64_t base = a->space == GR_SPACE_SHARED ? GR_SHARED_WINDOW : 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t address = a->address[i];
        const struct gr_array *array = gr_array_find(a->space, address, address + 1);
        if (kind == GR_FIND_BOUNDS && (base ? address < gr_shared_extent() : gr_in_arena(address)))
            continue; /* the observer of bounds has reported it */
        if (!array && base)
            array = gr_array_nearest(a->space, address);
        const struct gr_fault_at fault = {.kind = kind,
                                          .code = gr_engine_code(a->warp->block, a->step),
                                          .thread = a->warp->number * GR_WARP_LANES + i,
                                          .other = -1,
                                          .writes = a->access != GR_ACCESS_LOAD &&
                                                    a->access != GR_ACCESS_COPY,
                                          .array = array,
                                          .address = address};
        gr_fault_report(sm->tracer, &fault);
    }
}

static void tell_outside(void *state, const struct gr_machine_access *a, uint32_t lanes)
{
    report(state, a, lanes, GR_FIND_BOUNDS);
}

static void tell_misaligned(void *state, const struct gr_machine_access *a, uint32_t lanes)
{
    report(state, a, lanes, GR_FIND_ALIGNMENT);
}

static void tell_met(void *state, const struct gr_warp *w, uint32_t lanes)
{
    const struct gr_sm *sm = state;
    gr_watch_async_barrier(sm);
    gr_trace_warp_met(sm->tracer, w->number, lanes, __builtin_popcount(w->existing));
}

/* Records the position of the warp for the watchdog that stops an endless kernel and reports where
 * it is. */
static void tell_turn(void *state, const struct gr_warp *w)
{
    struct gr_sm *sm = state;
    struct gr_record *r = &sm->tracer->records[0];
    r->code = gr_engine_code(w->block, w->pc);
    gr_hot.cursor = r + 1;
    gr_sm = sm;
    sm->current = &sm->fibers[w->number * GR_WARP_LANES];
}

static void tell_fence(void *state, const struct gr_warp *w, uint32_t lanes, int scope)
{
    const struct gr_sm *sm = state;
    gr_watch_async_membar(sm);
    gr_engine_order_fence(sm->tracer, w->number, lanes, scope);
}

/* Sets the state of each thread of the block, which the tracer compares. Returns the number of
 * threads that wait at this barrier. */
static int describe_threads(struct gr_sm *sm, const struct gr_block *b, int number)
{
    int waiting = 0;
    for (int i = 0; i < sm->threads; i++)
        sm->fibers[i].state = GR_FIBER_DONE;
    for (int i = 0; i < b->warp_count; i++)
        for (int j = 0; j < b->warps[i].path_count; j++) {
            const struct gr_path *p = &b->warps[i].paths[j];
            bool here = p->state == GR_PATH_BARRIER && p->number == number;
            for (uint32_t left = p->mask; left; left &= left - 1) {
                struct gr_fiber *f = &sm->fibers[i * GR_WARP_LANES + __builtin_ctz(left)];
                f->state = here ? GR_FIBER_BARRIER : GR_FIBER_WAIT;
                f->site = (const void *)(uintptr_t)gr_engine_code(b, p->pc - 1);
                waiting += here;
            }
        }
    return waiting;
}

static const struct gr_fiber *first_in(const struct gr_sm *sm, enum gr_fiber_state state)
{
    for (int i = 0; i < sm->threads; i++)
        if (sm->fibers[i].state == state)
            return &sm->fibers[i];
    return NULL;
}

/* Do all threads of the block wait at the same instruction? */
static bool wait_together(const struct gr_block *b, int number)
{
    for (int i = 0; i < b->warp_count; i++) {
        const struct gr_warp *w = &b->warps[i];
        const struct gr_path *p = &w->paths[0];
        if (w->path_count != 1 || p->mask != w->existing || p->state != GR_PATH_BARRIER ||
            p->number != number || p->pc != b->warps[0].paths[0].pc)
            return false;
    }
    return true;
}

/* A named barrier with a count may be for some of the warps only, which is not a fault. */
static void tell_barrier(void *state, struct gr_block *b, int number)
{
    struct gr_sm *sm = state;
    gr_watch_async_barrier(sm);
    if (b->barriers[number].wanted || wait_together(b, number)) {
        gr_watch_barrier();
        gr_trace_phase(sm->tracer);
        return;
    }
    describe_threads(sm, b, number);
    gr_trace_barrier(sm->tracer, sm, first_in(sm, GR_FIBER_BARRIER), NULL,
                     first_in(sm, GR_FIBER_DONE));
}

/* Accesses that an mbarrier orders are not a race, so each of its phases begins a phase of the
 * block. */
static void tell_phase(void *state, const struct gr_warp *w)
{
    const struct gr_sm *sm = state;
    (void)w;
    gr_watch_async_barrier(sm);
    gr_watch_barrier();
    gr_trace_phase(sm->tracer);
}

static void tell_reached(void *state, uint32_t offset, uint32_t bytes, bool writes)
{
    const struct gr_sm *sm = state;
    const struct gr_array *array = gr_array_find(GR_SPACE_SHARED, offset, offset + 1);
    if (writes)
        gr_shared_written(sm->tracer, offset, bytes);
    else if (array)
        gr_mark(&((struct gr_array *)array)->loaded, 1); /* the stores to it are not useless */
}

static void tell_reached_global(void *state, uint64_t address, uint32_t bytes, bool writes)
{
    const struct gr_sm *sm = state;
    struct gr_array *a =
        (struct gr_array *)gr_array_find(GR_SPACE_GLOBAL, address, address + bytes);
    if (!a)
        return;
    gr_mark(writes ? &a->stored : &a->loaded, 1);
    gr_mark(writes ? &a->ever_stored : &a->ever_loaded, 1);
    for (uint64_t word = (address - a->lo) / 4;
         writes && a->written && word <= (address + bytes - 1 - a->lo) / 4; word++)
        gr_mark(&a->written[word], sm->tracer->run->mark);
}

struct gr_machine_watch gr_engine_watch(struct gr_sm *sm)
{
    return (struct gr_machine_watch){.state = sm,
                                     .access = tell_access,
                                     .outside = tell_outside,
                                     .misaligned = tell_misaligned,
                                     .barrier = tell_barrier,
                                     .met = tell_met,
                                     .turn = tell_turn,
                                     .fence = tell_fence,
                                     .proxy_fence = gr_watch_async_fence,
                                     .holds = gr_watch_async_holds,
                                     .releases = gr_watch_async_releases,
                                     .touches = gr_watch_async_touches,
                                     .phase = tell_phase,
                                     .reached = tell_reached,
                                     .reached_global = tell_reached_global};
}

void gr_engine_stuck(struct gr_sm *sm, const struct gr_block *b)
{
    for (int i = 0; i < GR_BARRIERS; i++)
        if (b->barriers[i].waiting > 0 && describe_threads(sm, b, i) > 0) {
            gr_trace_barrier(sm->tracer, sm, first_in(sm, GR_FIBER_BARRIER),
                             first_in(sm, GR_FIBER_WAIT), first_in(sm, GR_FIBER_DONE));
            return;
        }
}
