/* calls.c: implements gr_sim.h, the functions that the shim's headers call.
 * SPDX-License-Identifier: MIT */
#include "records/refused.h"
#include "simrt/sm.h"
#include "simrt/tracer.h"

#include <stdio.h>
#include <string.h>

struct gr_sim_index gr_sim_thread_index(void)
{
    return gr_sm->current->index;
}

struct gr_sim_index gr_sim_block_index(void)
{
    return gr_sm->block;
}

struct gr_sim_index gr_sim_block_size(void)
{
    return gr_sm->block_size;
}

struct gr_sim_index gr_sim_grid_size(void)
{
    return gr_sm->grid_size;
}

unsigned gr_sim_lane(void)
{
    return gr_sm->current->lane;
}

void gr_sim_barrier(const void *site)
{
    gr_sm_barrier(site);
}

int gr_sim_barrier_vote(int predicate, char how, const void *site)
{
    struct gr_fiber *f = gr_sm->current;
    f->site = site;
    f->value = predicate != 0;
    gr_sm_yield(GR_FIBER_BARRIER);
    const struct gr_sm *sm = gr_sm;
    return how == 'c' ? sm->voted : how == '&' ? sm->voted == sm->voters : sm->voted > 0;
}

/* A call whose mask does not name the calling lane has undefined behaviour in CUDA, so it ends the
 * launch. */
static __attribute__((noinline, noreturn)) void refuse_mask(struct gr_sm *sm, uint64_t mask,
                                                            const void *site)
{
    char text[256];
    const bool wide = sm->warp == 64;
    if (sm->tracer)
        gr_trace_unnamed(sm->tracer, mask, site);
    snprintf(text, sizeof text,
             "lane %d calls a function of its %s with the mask 0x%llx, which does not name it%s",
             sm->current->lane, wide ? "wavefront" : "warp", (unsigned long long)mask,
             wide && mask <= UINT32_MAX
                 ? "; of 64 lanes a mask has 64 bits: ~0ull, or 0xffffffffffffffffull"
                 : "");
    gr_sim_fail(text, site);
}

static uint64_t meet(uint64_t mask, uint64_t value, int wanted, enum gr_meeting meeting,
                     const void *site)
{
    struct gr_sm *sm = gr_sm;
    struct gr_fiber *f = sm->current;
    if (__builtin_expect(!(mask >> f->lane & 1), 0))
        refuse_mask(sm, mask, site);
    f->mask = mask & sm->lanes_mask;
    f->meeting = meeting;
    f->value = value;
    f->wanted = wanted;
    f->site = site;
    gr_sm_yield(GR_FIBER_WARP);
    return f->result;
}

uint64_t gr_sim_exchange(uint64_t mask, uint64_t value, int lane, const void *site)
{
    return meet(mask, value, lane < 0 ? GR_TRACE_LANES : lane, GR_MEETING_EXCHANGE, site);
}

uint64_t gr_sim_ballot(uint64_t mask, int predicate, const void *site)
{
    return meet(mask, predicate != 0, -1, GR_MEETING_VOTE, site);
}

void gr_sim_warp_sync(uint64_t mask, const void *site)
{
    meet(mask, 0, -1, GR_MEETING_SYNC, site);
}

void gr_sim_together(void *own, gr_sim_work *work, const void *site)
{
    struct gr_fiber *f = gr_sm->current;
    f->own = own;
    f->work = work;
    meet(~0ULL, 0, -1, GR_MEETING_TOGETHER, site);
}

uint64_t gr_sim_active_mask(void)
{
    const struct gr_sm *sm = gr_sm;
    const struct gr_fiber *lanes = sm->current - sm->current->lane;
    uint64_t mask = 0;
    for (int i = 0; i < sm->warp && lanes[i].linear - lanes->linear == i &&
                    lanes + i < sm->fibers + sm->threads;
         i++)
        if (lanes[i].state != GR_FIBER_DONE)
            mask |= 1ULL << i;
    sm->current->active = mask;
    return mask;
}

void gr_sim_fence(int scope, const void *site)
{
    if (gr_sm->tracer)
        gr_trace_record(0, scope, GR_TRACE_FENCE, site);
}

void gr_sim_wait_until(int (*ready)(void *state), void *state, const void *site)
{
    struct gr_fiber *f = gr_sm->current;
    /* In a traced launch the records of what came before the wait must be processed first, so the
     * thread always yields. */
    if (!gr_sm->tracer && ready(state))
        return;
    f->ready = ready;
    f->ready_state = state;
    f->site = site;
    gr_sm_yield(GR_FIBER_WAIT);
}

void gr_sim_saw_phase(void)
{
    gr_sm->phase_over = true;
}

uint16_t gr_sim_cas16(void *address, uint16_t expected, uint16_t desired)
{
    __atomic_compare_exchange_n((uint16_t *)address, &expected, desired, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

uint32_t gr_sim_cas32(void *address, uint32_t expected, uint32_t desired)
{
    __atomic_compare_exchange_n((uint32_t *)address, &expected, desired, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

uint64_t gr_sim_cas64(void *address, uint64_t expected, uint64_t desired)
{
    __atomic_compare_exchange_n((uint64_t *)address, &expected, desired, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}

void gr_sim_copy_async(void *shared, const void *global, int bytes, int valid, const void *site)
{
    if (valid > 0)
        gr_alignment_check((uintptr_t)global, (unsigned)bytes, false, site);
    gr_alignment_check((uintptr_t)shared, (unsigned)bytes, true, site);
    if (gr_sm->tracer) {
        if (valid > 0)
            gr_trace_record((uintptr_t)global, valid, GR_ACCESS_COPY, site);
        gr_trace_record((uintptr_t)shared, bytes, GR_TRACE_ARRIVES, site);
    }
    if (valid > 0)
        memcpy(shared, global, (size_t)valid);
    memset((char *)shared + valid, 0, (size_t)(bytes - valid));
}

static void saw(const void *at, int bytes, int access, const void *site)
{
    uintptr_t address = (uintptr_t)at;
    if (!gr_sm->tracer)
        return;
    if (bytes == 2 || bytes == 4) /* __half and __half2; other callers check by themselves */
        gr_alignment_check(address, (unsigned)bytes, access != GR_ACCESS_LOAD, site);
    gr_trace_record(address, bytes, access, site);
}

void gr_sim_promised(const void *address, int alignment, const void *site)
{
    gr_alignment_check((uintptr_t)address, (unsigned)alignment, false, site);
}

void gr_sim_saw_load(const void *address, int bytes, const void *site)
{
    saw(address, bytes, GR_ACCESS_LOAD, site);
}

void gr_sim_saw_store(void *address, int bytes, const void *site)
{
    saw(address, bytes, GR_ACCESS_STORE, site);
}

void gr_sim_saw_atomic(void *address, int bytes, const void *site)
{
    saw(address, bytes, GR_ACCESS_ATOMIC, site);
}

/* Shared memory is at a fixed distance from this variable in the host thread's thread-local
 * storage. */
static __thread char shared_anchor;

unsigned gr_sim_shared_offset(const void *shared)
{
    return (unsigned)((uintptr_t)shared - (uintptr_t)&shared_anchor + 0x40000000u);
}

void *gr_sim_shared_pointer(unsigned offset)
{
    return (void *)((uintptr_t)&shared_anchor + offset - 0x40000000u);
}

int gr_sim_is_shared(const void *address)
{
    uintptr_t distance = (uintptr_t)address - (uintptr_t)&shared_anchor + 0x1000000u;
    return distance < 0x2000000u;
}

void gr_sim_launch_bounds(long long threads)
{
    char text[256];
    if (gr_sm->threads <= threads)
        return;
    snprintf(text, sizeof text, GR_REFUSED_BOUNDS, (long long)gr_sm->threads, threads);
    gr_sm_fail(GR_SIM_REFUSED, text);
}

long long gr_sim_clock(void)
{
    return ++gr_sm->clock;
}

void gr_sim_fail(const char *text, const void *site)
{
    const struct gr_sm *sm = gr_sm;
    const struct gr_fiber *f = sm->current;
    char whole[256];
    (void)site;
    snprintf(whole, sizeof whole, "%.150s: block (%u,%u,%u), thread (%u,%u,%u)", text, sm->block.x,
             sm->block.y, sm->block.z, f->index.x, f->index.y, f->index.z);
    gr_sm_fail(GR_SIM_FAILED, whole);
}

void gr_sim_not_modelled(const char *what, const void *site)
{
    (void)site;
    gr_sm_fail(GR_SIM_NOT_MODELLED, what);
}
