/* watch_async.c: finds accesses to shared memory and to registers that conflict with asynchronous
 * operations in flight. SPDX-License-Identifier: MIT */
#include "engine/watch_async.h"

#include "engine/in_flight.h"
#include "engine/machine_watch.h"

#include <stdio.h>
#include <string.h>

void gr_watch_async_begin(struct gr_sm *sm, const struct gr_program *p)
{
    if (!sm->in_flight && p->is_asynchronous)
        sm->in_flight = gr_in_flight_open((int64_t)gr_shared_extent());
    if (!sm->in_flight)
        return;
    sm->in_flight->wants_fences = p->has_async_proxy;
    gr_in_flight_begin(sm->in_flight);
}

void gr_watch_async_end(struct gr_sm *sm)
{
    gr_in_flight_close(sm->in_flight);
    sm->in_flight = NULL;
}

/* One side of a conflict: an instruction of a thread of the watched block, or of another block of
 * its cluster. */
struct side {
    const struct gr_warp *warp;
    int lane;
    uint32_t code;
    enum gr_use use;
};

static bool is_here(const struct gr_sm *sm, const struct side *x)
{
    const unsigned *index = x->warp->block->index;
    return index[0] == sm->block.x && index[1] == sm->block.y && index[2] == sm->block.z;
}

static int thread_of(const struct side *x)
{
    return x->warp->number * GR_WARP_LANES + x->lane;
}

static bool has_row(const struct gr_sm *sm, uint32_t code)
{
    const struct gr_sim_line *row = gr_line_find(sm->tracer->run, code);
    return row && row->address + 1 == code;
}

/* The address of the instruction whose line is reported. ptxas may give wgmma no row in the table
 * of lines, and the row before it then belongs to an unrelated instruction. In this case the line
 * of the last wgmma before it that has a row is reported, or of the wgmma.fence before them. */
static uint32_t told_code(const struct gr_sm *sm, const struct side *x)
{
    const struct gr_program *p = x->warp->block->program;
    const int step = (int)(x->code & ((1u << GR_SIM_SECTION_BITS) - 1)) / GR_STEP_BYTES;
    if (!strstr(p->decoded[step].mnemonic, "GMMA"))
        return x->code;
    for (int i = step; i >= 0; i--) {
        const uint32_t code = gr_engine_code(x->warp->block, (uint32_t)i);
        const bool fence = strcmp(p->decoded[i].mnemonic, "WARPGROUP") == 0;
        if (fence || (strstr(p->decoded[i].mnemonic, "GMMA") && has_row(sm, code)))
            return code;
    }
    return x->code;
}

/* Reports that `x` is executed while `held` is in flight. */
static void report(struct gr_sm *sm, const struct side *x, const struct side *held,
                   enum gr_async kind, uint64_t address)
{
    const struct gr_fault_at fault = {
        .kind = GR_FIND_RACE,
        .code = told_code(sm, x),
        .other_code = told_code(sm, held),
        .thread = thread_of(x),
        .other = thread_of(held),
        .writes = x->use != GR_USE_READS,
        .other_writes = held->use != GR_USE_READS,
        .in_flight = kind,
        .block = is_here(sm, x) ? NULL : x->warp->block->index,
        .other_block = held->warp->block == x->warp->block ? NULL : held->warp->block->index,
        .array = gr_array_find(GR_SPACE_SHARED, address, address + 1),
        .address = address};
    gr_fault_report(sm->tracer, &fault);
}

/* If lanes of the same instruction write the same word, this is not a missing wait. */
static bool of_one_instruction(const struct gr_holder *h, const struct side *x)
{
    return h->warp == x->warp && h->code == x->code && h->lane != x->lane;
}

/* Reports a conflict of `x` with an operation in flight. Returns true if there is none. */
static bool check(struct gr_sm *sm, const struct side *x, int64_t offset, int64_t bytes)
{
    enum gr_use use;
    const struct gr_holder *h =
        gr_in_flight_find(sm->in_flight, offset, bytes, x->use, x->warp, &use);
    if (!h || of_one_instruction(h, x))
        return true;
    const struct side held = {h->warp, h->lane, h->code, use};
    report(sm, x, &held, (enum gr_async)h->kind, (uint64_t)offset);
    return false;
}

static void check_fence(struct gr_sm *sm, const struct side *x, int64_t offset, int64_t bytes)
{
    const struct gr_generic_write *write = gr_in_flight_unfenced(sm->in_flight, offset, bytes);
    if (!write)
        return;
    const struct side writer = {write->warp, write->lane, write->code, GR_USE_WRITES};
    report(sm, x, &writer, GR_ASYNC_PROXY, (uint64_t)offset);
}

/* Marks an array as read, so that stores to it are not reported as useless: a bulk copy or wgmma
 * reads it. */
static void mark_read(uint32_t offset)
{
    const struct gr_array *array = gr_array_find(GR_SPACE_SHARED, offset, offset + 1);
    if (array)
        gr_mark(&((struct gr_array *)array)->loaded, 1);
}

static struct gr_holder holder_of(const struct gr_machine_hold *hold)
{
    return (struct gr_holder){.warp = hold->warp,
                              .code = gr_engine_code(hold->warp->block, hold->step),
                              .lane = (uint8_t)hold->lane,
                              .kind = (uint8_t)hold->kind};
}

void gr_watch_async_holds(void *state, const struct gr_machine_hold *hold)
{
    struct gr_sm *sm = state;
    const struct side x = {hold->warp, hold->lane, gr_engine_code(hold->warp->block, hold->step),
                           hold->use};
    const struct gr_holder holder = holder_of(hold);
    if (hold->use == GR_USE_READS)
        mark_read(hold->offset);
    if (!sm->in_flight)
        return;
    check(sm, &x, hold->offset, hold->bytes);
    if (hold->use == GR_USE_READS)
        check_fence(sm, &x, hold->offset, hold->bytes);
    gr_in_flight_add(sm->in_flight, hold->offset, hold->bytes, hold->use, &holder);
}

void gr_watch_async_releases(void *state, const struct gr_machine_hold *hold)
{
    const struct gr_sm *sm = state;
    const struct gr_holder holder = holder_of(hold);
    if (sm->in_flight)
        gr_in_flight_remove(sm->in_flight, hold->offset, hold->bytes, hold->use, &holder);
}

static enum gr_use use_of(const struct gr_machine_access *a)
{
    return a->access == GR_ACCESS_LOAD    ? GR_USE_READS
           : a->access == GR_ACCESS_STORE ? GR_USE_WRITES
                                          : GR_USE_JOINS;
}

/* The arrival of copied data is not checked here, because the copy was checked when its hold
 * began. */
void gr_watch_async_access(struct gr_sm *sm, const struct gr_machine_access *a)
{
    struct gr_in_flight *f = sm->in_flight;
    const bool writes = f && f->wants_fences && a->access != GR_ACCESS_LOAD;
    if (!f || a->access == (enum gr_access)GR_ACCESS_ARRIVES || (!gr_in_flight_any(f) && !writes))
        return;
    int64_t clear = -1;
    struct side x = {
        .warp = a->warp, .code = gr_engine_code(a->warp->block, a->step), .use = use_of(a)};
    for (uint32_t left = a->active; left; left &= left - 1) {
        x.lane = __builtin_ctz(left);
        const int64_t offset = (int64_t)a->address[x.lane];
        if (offset != clear && check(sm, &x, offset, a->bytes))
            clear = offset; /* many lanes often read the same word */
        if (!writes)
            continue;
        const struct gr_generic_write write = {
            .warp = x.warp, .code = x.code, .lane = (uint8_t)x.lane};
        gr_in_flight_write(f, offset, a->bytes, &write);
    }
}

void gr_watch_async_barrier(const struct gr_sm *sm)
{
    if (sm->in_flight)
        gr_in_flight_barrier(sm->in_flight);
}

/* A memory fence may be part of a synchronization of warps without a barrier. */
void gr_watch_async_membar(const struct gr_sm *sm)
{
    if (sm->in_flight)
        gr_in_flight_meet(sm->in_flight);
}

void gr_watch_async_fence(void *state, const struct gr_warp *w)
{
    const struct gr_sm *sm = state;
    if (sm->in_flight)
        gr_in_flight_fence(sm->in_flight, w);
}

/* The report has the register in place of an array with a single element. */
void gr_watch_async_touches(void *state, const struct gr_machine_touch *touch)
{
    struct gr_sm *sm = state;
    const struct gr_warp *w = touch->warp;
    const struct side product = {w, touch->lane, gr_engine_code(w->block, touch->product),
                                 GR_USE_WRITES};
    struct gr_array array = {.space = GR_SPACE_OTHER, .element_bytes = 4, .hi = 4};
    snprintf(array.name, sizeof array.name, "register R%d", touch->number);
    const struct gr_fault_at fault = {.kind = GR_FIND_RACE,
                                      .code = gr_engine_code(w->block, w->pc),
                                      .other_code = told_code(sm, &product),
                                      .thread = thread_of(&product),
                                      .other = thread_of(&product),
                                      .writes = touch->writes,
                                      .other_writes = true,
                                      .in_flight = GR_ASYNC_PRODUCT,
                                      .array = &array};
    gr_fault_report(sm->tracer, &fault);
}
