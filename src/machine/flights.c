/* flights.c: the queues of bulk copies, and changes of mbarriers. SPDX-License-Identifier: MIT */
#include "machine/flights.h"

#include "machine/copies.h"

#include <stdlib.h>
#include <string.h>

struct gr_flights {
    struct gr_flight *list;
    int count, room;
    int group; /* the number of the group that is not committed yet */
};

void gr_flights_begin(struct gr_flights *f)
{
    if (f)
        f->count = f->group = 0;
}

void gr_flights_free(struct gr_flights **flights)
{
    if (*flights)
        free((*flights)->list);
    free(*flights);
    *flights = NULL;
}

static struct gr_flight *add(struct gr_flights **flights)
{
    if (!*flights)
        *flights = calloc(1, sizeof **flights);
    struct gr_flights *f = *flights;
    if (f && f->count == f->room) {
        int room = f->room ? 2 * f->room : 16;
        struct gr_flight *more = realloc(f->list, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        f->list = more;
        f->room = room;
    }
    return f ? &f->list[f->count++] : NULL;
}

static void take_out(struct gr_flights *f, int index)
{
    memmove(&f->list[index], &f->list[index + 1], (size_t)(f->count - index - 1) * sizeof *f->list);
    f->count--;
}

/* ---- The holds on shared memory. ---- */

struct holding {
    const struct gr_flight *flight;
    bool begins;
};

static void hold(const struct holding *h, const struct gr_block *b, enum gr_use use,
                 uint32_t offset, uint32_t bytes)
{
    const struct gr_flight *f = h->flight;
    const struct gr_machine_hold hold = {.warp = f->warp,
                                         .lane = f->lane,
                                         .step = f->step,
                                         .kind = f->kind == GR_FLIGHT_STORE ? GR_ASYNC_STORE
                                                                            : GR_ASYNC_BULK,
                                         .use = use,
                                         .offset = offset,
                                         .bytes = bytes};
    gr_block_hold(b, &hold, h->begins);
}

/* A store skips the pieces that are outside of the tensor. A load writes zeros for them. Since it
 * writes whole pieces of 16 bytes, each is held once, even if the tensor ends within a word of
 * it. */
static void hold_piece(void *context, const struct gr_tensor_piece *p)
{
    const struct holding *h = context;
    const uint32_t whole = 16;
    if (h->flight->kind != GR_FLIGHT_STORE && p->shared % whole == 0)
        hold(h, h->flight->to, GR_USE_WRITES, p->shared, whole);
    else if (h->flight->kind == GR_FLIGHT_STORE && p->inside)
        hold(h, h->flight->to, GR_USE_READS, p->shared, p->bytes);
}

static void hold_all(const struct gr_flight *f, bool begins)
{
    struct holding h = {f, begins};
    if (f->kind == GR_FLIGHT_ARRIVAL || !(f->to->watch || f->warp->block->watch))
        return;
    if (f->tensor) {
        gr_tensor_map_box(&f->map, f->at, f->shared, hold_piece, &h);
        return;
    }
    if (f->kind == GR_FLIGHT_SHARED)
        hold(&h, f->warp->block, GR_USE_READS, (uint32_t)f->global, f->bytes);
    hold(&h, f->to,
         f->kind == GR_FLIGHT_STORE          ? GR_USE_READS
         : f->join.operation != GR_JOIN_NONE ? GR_USE_JOINS
                                             : GR_USE_WRITES,
         f->shared, f->bytes);
}

/* ---- The memory that copies access. ---- */

struct visit {
    struct gr_warp *warp;
    const struct gr_flight *flight;
    const struct gr_memory_range *range; /* the range of the last access */
    bool wrong;
};

static bool in_shared(struct gr_warp *w, const struct gr_block *b, uint64_t offset, uint64_t bytes)
{
    if (offset + bytes <= (uint64_t)b->shared_bytes)
        return true;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "a bulk copy outside of shared memory, of %llu bytes at 0x%llx, instruction 0x%x",
                  (unsigned long long)bytes, (unsigned long long)offset, w->pc * GR_STEP_BYTES);
    return false;
}

static bool in_global(struct visit *v, uint64_t address, uint64_t bytes)
{
    const struct gr_memory_range *r = v->range;
    if (!r || address < r->lo || address >= r->hi)
        v->range = r = gr_memory_find(v->warp->block->memory, address);
    if (r && r->hi - address >= bytes)
        return true;
    gr_block_fail(v->warp, GR_BLOCK_FAILED,
                  "a bulk copy outside of global memory, of %llu bytes at 0x%llx, instruction 0x%x",
                  (unsigned long long)bytes, (unsigned long long)address,
                  v->warp->pc * GR_STEP_BYTES);
    return false;
}

static void check_piece(void *context, const struct gr_tensor_piece *p)
{
    struct visit *v = context;
    if (v->wrong)
        return;
    v->wrong = !in_shared(v->warp, v->flight->to, p->shared, p->bytes) ||
               (p->inside && !in_global(v, p->global, p->bytes));
}

static void put(const struct gr_flight *f, unsigned char *at, const unsigned char *from,
                uint32_t bytes)
{
    if (f->join.operation != GR_JOIN_NONE)
        gr_join_elements(f->join, at, from, bytes, NULL);
    else
        memmove(at, from, bytes);
}

static void move_piece(void *context, const struct gr_tensor_piece *p)
{
    const struct visit *v = context;
    unsigned char *shared = v->flight->to->shared + p->shared;
    if (v->flight->kind == GR_FLIGHT_LOAD) {
        if (p->inside)
            memcpy(shared, (const void *)(uintptr_t)p->global, p->bytes);
        gr_tensor_map_load(&v->flight->map, p->inside, shared, p->bytes);
    } else if (p->inside) {
        put(v->flight, (unsigned char *)(uintptr_t)p->global, shared, p->bytes);
    }
}

static bool is_aligned(struct gr_warp *w, uint64_t value, uint64_t to, const char *what)
{
    if (value % to == 0)
        return true;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "a bulk copy whose %s 0x%llx is no multiple of %llu, instruction 0x%x", what,
                  (unsigned long long)value, (unsigned long long)to, w->pc * GR_STEP_BYTES);
    return false;
}

static bool begins_well(struct gr_warp *w, const struct gr_flight *f)
{
    const int negative = f->kind == GR_FLIGHT_STORE ? gr_tensor_map_negative(&f->map, f->at) : -1;
    if (!gr_tensor_map_is_aligned(&f->map, f->at))
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "an illegal instruction: a copy by a tensor map at element %d of its rows, "
                      "which is byte %lld and no multiple of 16, instruction 0x%x",
                      (int)f->at[0], (long long)f->at[0] * gr_tensor_map_element(f->map.type),
                      w->pc * GR_STEP_BYTES);
    else if (negative >= 0)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "an illegal instruction: a store by a tensor map at the coordinate %d of "
                      "dimension %d, which is negative, instruction 0x%x",
                      (int)f->at[negative], negative, w->pc * GR_STEP_BYTES);
    return w->block->status == GR_BLOCK_RUNS;
}

static bool check(struct gr_warp *w, const struct gr_flight *f)
{
    struct visit v = {.warp = w, .flight = f};
    if (f->kind == GR_FLIGHT_ARRIVAL)
        return true;
    if (f->kind == GR_FLIGHT_VALUE)
        return is_aligned(w, f->shared, f->bytes, "address in shared memory") &&
               in_shared(w, f->to, f->shared, f->bytes);
    if (f->tensor) {
        if (!is_aligned(w, f->shared, 128, "address in shared memory") || !begins_well(w, f))
            return false;
        gr_tensor_map_box(&f->map, f->at, f->shared, check_piece, &v);
        return !v.wrong;
    }
    if (!is_aligned(w, f->shared, 16, "address in shared memory") ||
        !is_aligned(w, f->bytes, 16, "size") || !is_aligned(w, f->global, 16, "other address") ||
        !in_shared(w, f->to, f->shared, f->bytes))
        return false;
    return f->kind == GR_FLIGHT_SHARED ? in_shared(w, w->block, f->global, f->bytes)
                                       : f->bytes == 0 || in_global(&v, f->global, f->bytes);
}

static void move(struct gr_warp *w, const struct gr_flight *f)
{
    unsigned char *shared = f->to->shared + f->shared;
    hold_all(f, false);
    struct visit v = {.warp = w, .flight = f};
    if (f->kind == GR_FLIGHT_ARRIVAL)
        gr_copies_arrive_first(f->warp, f->copies);
    else if (f->tensor)
        gr_tensor_map_box(&f->map, f->at, f->shared, move_piece, &v);
    else if (f->kind == GR_FLIGHT_SHARED)
        put(f, shared, f->warp->block->shared + f->global, f->bytes);
    else if (f->kind == GR_FLIGHT_VALUE)
        put(f, shared, f->value, f->bytes);
    else if (f->kind == GR_FLIGHT_LOAD)
        memcpy(shared, (const void *)(uintptr_t)f->global, f->bytes);
    else
        put(f, (unsigned char *)(uintptr_t)f->global, shared, f->bytes);
}

/* ---- The arrival of the data. ---- */

/* Tells the watch that the bytes of shared memory will be written, 16 for each lane. */
static void tell(struct gr_warp *w, const struct gr_block *to, uint32_t offset, uint32_t bytes)
{
    const struct gr_machine_watch *watch = to->watch;
    if (to != w->block && watch && watch->reached)
        watch->reached(watch->state, offset, bytes, true);
    if (to != w->block || !watch || !watch->access)
        return;
    for (uint32_t at = 0; at < bytes;) {
        uint64_t address[GR_WARP_LANES];
        int lanes = 0;
        for (; lanes < GR_WARP_LANES && at < bytes; at += 16)
            address[lanes++] = offset + at;
        for (int i = lanes; i < GR_WARP_LANES; i++)
            address[i] = 0;
        const struct gr_machine_access a = {.warp = w,
                                            .step = w->pc,
                                            .access = (enum gr_access)GR_ACCESS_ARRIVES,
                                            .space = GR_SPACE_SHARED,
                                            .bytes = 16,
                                            .active = lanes == 32 ? ~0u : (1u << lanes) - 1,
                                            .address = address};
        watch->access(watch->state, &a);
    }
}

static void tell_source(const struct gr_warp *w, uint32_t offset, uint32_t bytes)
{
    const struct gr_machine_watch *watch = w->block->watch;
    if (watch && watch->reached)
        watch->reached(watch->state, offset, bytes, false);
}

/* If the rows of a box have gaps between them in shared memory, reports each piece of 16 bytes,
 * otherwise the whole box at once. */
static void tell_shared_piece(void *context, const struct gr_tensor_piece *p)
{
    const struct gr_flight *f = context;
    const uint32_t whole = 16;
    if (f->kind != GR_FLIGHT_STORE && p->shared % whole == 0)
        tell(f->warp, f->to, p->shared, whole);
    else if (f->kind == GR_FLIGHT_STORE && p->inside)
        tell_source(f->warp, p->shared, p->bytes);
}

static void tell_shared(struct gr_flight *f)
{
    if (f->tensor && gr_tensor_map_has_gaps(&f->map))
        gr_tensor_map_box(&f->map, f->at, f->shared, tell_shared_piece, f);
    else if (f->kind == GR_FLIGHT_STORE)
        tell_source(f->warp, f->shared, f->bytes);
    else if (f->kind != GR_FLIGHT_ARRIVAL)
        tell(f->warp, f->to, f->shared, f->bytes);
}

static void tell_global_piece(void *context, const struct gr_tensor_piece *p)
{
    const struct gr_flight *f = context;
    const struct gr_machine_watch *watch = f->warp->block->watch;
    if (p->inside)
        watch->reached_global(watch->state, p->global, p->bytes, f->kind == GR_FLIGHT_STORE);
}

static void tell_global(struct gr_flight *f)
{
    const struct gr_machine_watch *watch = f->warp->block->watch;
    const bool store = f->kind == GR_FLIGHT_STORE;
    if ((!store && f->kind != GR_FLIGHT_LOAD) || !watch || !watch->reached_global)
        return;
    if (f->tensor)
        gr_tensor_map_box(&f->map, f->at, f->shared, tell_global_piece, f);
    else if (f->bytes > 0)
        watch->reached_global(watch->state, f->global, f->bytes, store);
}

bool gr_flight_begin(struct gr_warp *w, const struct gr_flight *flight)
{
    const bool store = flight->kind == GR_FLIGHT_STORE;
    if (!check(w, flight))
        return false;
    struct gr_flight *f = add(store ? &w->stores : &flight->barrier_block->loads);
    if (!f) {
        gr_block_fail(w, GR_BLOCK_FAILED, "no memory for a bulk copy");
        return false;
    }
    *f = *flight;
    f->warp = w;
    f->step = w->pc;
    if (f->kind != GR_FLIGHT_VALUE)
        f->lane = __builtin_ctz(w->mask);
    hold_all(f, true);
    tell_global(f);
    if (flight->kind == GR_FLIGHT_SHARED)
        tell_source(w, (uint32_t)flight->global, flight->bytes);
    tell_shared(f);
    if (store) {
        f->group = w->stores->group;
        return true;
    }
    gr_block_event(flight->barrier_block);
    return true;
}

bool gr_flights_arrive(struct gr_warp *w, struct gr_block *b, uint32_t barrier)
{
    struct gr_flights *f = b->loads;
    for (int i = 0; f && i < f->count; i++) {
        if (f->list[i].barrier != barrier)
            continue;
        struct gr_flight flight = f->list[i];
        take_out(f, i);
        move(w, &flight);
        bool arrival = flight.kind == GR_FLIGHT_ARRIVAL;
        gr_mbarrier_change(w, b, barrier, arrival ? flight.operation : GR_MBARRIER_A0TX, false,
                           arrival ? 1 : flight.bytes);
        return w->block->status == GR_BLOCK_RUNS;
    }
    return false;
}

void gr_stores_commit(struct gr_warp *w)
{
    if (w->stores)
        w->stores->group++;
}

static void stores_before(struct gr_warp *w, int group)
{
    struct gr_flights *f = w->stores;
    while (f && f->count > 0 && f->list[0].group < group) {
        move(w, &f->list[0]);
        take_out(f, 0);
    }
}

void gr_stores_wait(struct gr_warp *w, int pending)
{
    if (w->stores)
        stores_before(w, w->stores->group - pending);
}

void gr_stores_arrive(struct gr_warp *w)
{
    if (w->stores)
        stores_before(w, w->stores->group + 1);
}

/* ---- The mbarriers. ---- */

unsigned char *gr_mbarrier_at(struct gr_warp *w, struct gr_block *b, uint32_t offset)
{
    if (offset % 8 == 0 && (int64_t)offset + 8 <= b->shared_bytes)
        return b->shared + offset;
    gr_block_fail(w, GR_BLOCK_FAILED,
                  "an mbarrier at 0x%x, which is no multiple of 8 in the block's shared memory, "
                  "instruction 0x%x",
                  offset, w->pc * GR_STEP_BYTES);
    return NULL;
}

uint64_t gr_mbarrier_change(struct gr_warp *w, struct gr_block *b, uint32_t offset,
                            enum gr_mbarrier_operation operation, bool drop, uint32_t value)
{
    uint64_t word, before;
    bool completed = false;
    unsigned char *at = gr_mbarrier_at(w, b, offset);
    if (!at)
        return 0;
    memcpy(&word, at, 8);
    before = word;
    if (word & 1) {
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "the mbarrier at 0x%x is not initialised, instruction 0x%x", offset,
                      w->pc * GR_STEP_BYTES);
        return 0;
    }
    enum gr_mbarrier_fault fault = gr_mbarrier_do(&word, operation, drop, value, &completed);
    if (fault != GR_MBARRIER_FINE && gr_flights_arrive(w, b, offset))
        return gr_mbarrier_change(w, b, offset, operation, drop, value);
    if (fault != GR_MBARRIER_FINE)
        gr_block_fail(w, GR_BLOCK_FAILED, "%s the mbarrier at 0x%x, instruction 0x%x",
                      fault == GR_MBARRIER_TOO_MANY ? "more arrivals than its phase still needs at"
                                                    : "more than 2^20 - 1 bytes are outstanding at",
                      offset, w->pc * GR_STEP_BYTES);
    memcpy(at, &word, 8);
    gr_block_event(b);
    if (completed && b->watch && b->watch->phase)
        b->watch->phase(b->watch->state, b == w->block ? w : &b->warps[0]);
    return before;
}
