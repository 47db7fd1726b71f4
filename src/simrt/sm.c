/* sm.c: runs a block: its threads one after another, warp by warp, until all of them wait for the
 * same thing or have ended. SPDX-License-Identifier: MIT */
#include "simrt/sm.h"

#include "simrt/fiber.h"
#include "simrt/global_history.h"

#include <stdio.h>
#include <string.h>

__thread struct gr_sm *gr_sm;
__thread struct gr_hot gr_hot = {.stack_bytes = UINTPTR_MAX};

/* The size of a fiber's stack, which holds a kernel's local arrays. A page takes memory only when
 * it is first accessed. */
static const size_t stack_bytes = 256 * 1024;

static void thread_main(void)
{
    for (;;) {
        struct gr_sm *sm = gr_sm;
        gr_sim_stanzas[sm->launch->stanza](sm->launch->parameters);
        gr_sm_yield(GR_FIBER_DONE);
    }
}

/* Prepares the stack of thread i. The tops of neighbouring stacks are in different sets of the
 * cache. */
static void start_thread(struct gr_sm *sm, int i)
{
    char *top = (char *)sm->stacks + sm->stride * (size_t)(i + 1) - (size_t)(i % 61) * 320;
    sm->fibers[i].sp = gr_fiber_start(top, thread_main);
    sm->fibers[i].killed = false;
}

bool gr_sm_open(struct gr_sm *sm, const struct gr_sim_launch *launch, struct gr_tracer *tracer)
{
    memset(sm, 0, sizeof *sm);
    sm->launch = launch;
    sm->tracer = tracer;
    sm->warp = launch->warp;
    sm->lanes_mask = launch->warp == 64 ? ~0ULL : (1ULL << launch->warp) - 1;
    sm->block_size = (struct gr_sim_index){launch->block[0], launch->block[1], launch->block[2]};
    sm->grid_size = (struct gr_sim_index){launch->grid[0], launch->grid[1], launch->grid[2]};
    sm->threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    char *stacks = gr_fiber_stacks(sm->threads, stack_bytes, &sm->stride);
    if (!stacks)
        return false;
    sm->stacks = (uintptr_t)stacks;
    sm->stacks_bytes = sm->stride * (size_t)sm->threads;
    for (int i = 0; i < sm->threads; i++) {
        struct gr_fiber *f = &sm->fibers[i];
        unsigned x = launch->block[0], y = launch->block[1], n = (unsigned)i;
        f->index = (struct gr_sim_index){n % x, n / x % y, n / x / y};
        f->linear = (uint16_t)i;
        f->lane = (uint8_t)(i % sm->warp);
        start_thread(sm, i);
    }
    return true;
}

void gr_sm_close(struct gr_sm *sm)
{
    gr_fiber_stacks_free((char *)sm->stacks, sm->threads, sm->stride);
    sm->stacks = 0;
}

/* Switches to the thread after `f`, or to the scheduler if that thread is not the next to run. In a
 * traced launch always to the scheduler, which processes the thread's records. */
static inline void go_on(struct gr_sm *sm, struct gr_fiber *f, bool beyond_warp)
{
    struct gr_fiber *next = f + 1;
    if (sm->tracer || next == sm->fibers + sm->threads || next->state != GR_FIBER_READY ||
        (next->lane == 0 && !beyond_warp)) {
        gr_fiber_switch(&f->sp, sm->scheduler);
        return;
    }
    __builtin_prefetch(next[1].sp);
    sm->current = next;
    gr_fiber_switch(&f->sp, next->sp);
}

void gr_sm_yield(enum gr_fiber_state state)
{
    struct gr_sm *sm = gr_sm;
    struct gr_fiber *f = sm->current;
    f->state = state;
    go_on(sm, f, state == GR_FIBER_DONE && sm->outcome.status == GR_SIM_DONE);
}

/* Nearly always all threads arrive at the same barrier. In the fast mode the last one then releases
 * the others and switches to the first thread, without the scheduler. */
void gr_sm_barrier(const void *site)
{
    struct gr_sm *sm = gr_sm;
    struct gr_fiber *f = sm->current;
    f->site = site;
    f->value = 0;
    f->state = GR_FIBER_BARRIER;
    if (++sm->arrived < sm->threads || sm->tracer) {
        go_on(sm, f, true);
        return;
    }
    sm->arrived = 0;
    for (int i = 0; i < sm->threads; i++)
        sm->fibers[i].state = GR_FIBER_READY;
    sm->current = sm->fibers;
    if (f != sm->fibers)
        gr_fiber_switch(&f->sp, sm->fibers[0].sp);
}

void gr_sm_kill(void)
{
    gr_sm->current->killed = true;
    for (;;)
        gr_sm_yield(GR_FIBER_DONE);
}

void gr_sm_fail(enum gr_sim_status status, const char *text)
{
    struct gr_sm *sm = gr_sm;
    sm->outcome.status = status;
    snprintf(sm->outcome.text, sizeof sm->outcome.text, "%s", text);
    gr_sm_kill();
}

static void resume(struct gr_sm *sm, struct gr_fiber *f)
{
    f->state = GR_FIBER_READY;
    sm->current = f;
    gr_hot.stack = sm->stacks + sm->stride * f->linear;
    gr_hot.stack_bytes = sm->stride;
    gr_hot.cursor = f->records;
    gr_hot.end = f->records + GR_RECORDS;
    gr_hot.stored = false;
    gr_fiber_switch(&sm->scheduler, f->sp);
    f->count = (uint32_t)(gr_hot.cursor - f->records);
    if (gr_hot.stored && sm->tracer) /* what the fiber has stored is in memory now */
        for (uint32_t i = 0; i < f->count; i++)
            gr_globals_note(sm->tracer, &f->records[i],
                            (const void *)(uintptr_t)f->records[i].address);
}

void gr_sm_refill(struct gr_sm *sm, struct gr_fiber *f)
{
    f->count = 0;
    resume(sm, f);
}

/* ---- Meetings of a warp's lanes. ---- */

/* The lanes of a warp that have not exited. */
static uint64_t live_lanes(const struct gr_fiber *lanes, int count)
{
    uint64_t live = 0;
    for (int i = 0; i < count; i++)
        live |= (uint64_t)(lanes[i].state != GR_FIBER_DONE) << i;
    return live;
}

/* Do the two lanes wait in the same function with the same mask, and for the same instruction? The
 * CUDA C++ Programming Guide requires that all non-exited threads named in a mask execute the same
 * intrinsic with the same mask (Warp Vote, Warp Match, Warp Reduce and Warp Shuffle Functions,
 * __syncwarp()), and votes are of the non-exited threads in it. So a mask may name lanes that have
 * exited, and two masks may differ in those lanes, as for WARPSYNC. */
static bool meets(const struct gr_fiber *f, const struct gr_fiber *other, uint64_t live)
{
    if (f->meeting == GR_MEETING_TOGETHER && other->work != f->work)
        return false;
    return other->state == GR_FIBER_WARP && ((other->mask ^ f->mask) & live) == 0 &&
           other->meeting == f->meeting;
}

/* Have all lanes that `f` waits for arrived or exited? */
static bool met(const struct gr_fiber *lanes, int count, const struct gr_fiber *f, uint64_t live)
{
    for (int i = 0; i < count; i++)
        if (f->mask & live & (1ULL << i) && !meets(f, &lanes[i], live))
            return false;
    return true;
}

/* A shuffle reads a lane that its mask names and that has exited: in CUDA the value is undefined. A
 * mask of the active lanes is excepted, since it may name lanes that take another branch later. */
static bool reads_absent(const struct gr_fiber *lanes, int count, const struct gr_fiber *f)
{
    return f->meeting == GR_MEETING_EXCHANGE && f->wanted >= 0 && f->wanted < count &&
           f->mask >> f->wanted & 1 && f->mask != f->active &&
           lanes[f->wanted].state == GR_FIBER_DONE;
}

static void exchange(struct gr_tracer *t, struct gr_fiber *lanes, int count, uint64_t mask)
{
    uint64_t ballot = 0;
    for (int i = 0; i < count; i++)
        if (mask >> i & 1 && lanes[i].state == GR_FIBER_WARP && lanes[i].value)
            ballot |= 1ULL << i;
    for (int i = 0; i < count; i++) {
        struct gr_fiber *f = &lanes[i];
        if (!(mask >> i & 1) || f->state != GR_FIBER_WARP)
            continue;
        int from = f->wanted;
        if (t && reads_absent(lanes, count, f))
            gr_trace_absent(t, f, &lanes[from]);
        bool takes_part =
            from >= 0 && from < count && mask >> from & 1 && lanes[from].state == GR_FIBER_WARP;
        f->result = from < 0 ? ballot : takes_part ? lanes[from].value : f->value;
    }
    for (int i = 0; i < count; i++)
        if (mask >> i & 1 && lanes[i].state == GR_FIBER_WARP)
            lanes[i].state = GR_FIBER_READY;
}

/* Executes an instruction that the lanes execute as one. */
static void work_together(struct gr_sm *sm, struct gr_fiber *lanes, int count)
{
    void *own[GR_TRACE_LANES];
    int present = 0;
    for (int i = 0; i < count; i++)
        if (lanes[i].state == GR_FIBER_WARP)
            own[present++] = lanes[i].own;
    char few[96];
    const char *wrong = few;
    gr_hot.cursor = NULL; /* what the work accesses are registers: nothing is recorded */
    gr_hot.stack_bytes = UINTPTR_MAX;
    if (present == sm->warp)
        wrong = lanes[0].work(own);
    else
        snprintf(few, sizeof few, "an instruction that needs all %d lanes of a wave has %d of them",
                 sm->warp, present);
    if (!wrong)
        return;
    sm->outcome.status = GR_SIM_FAILED;
    snprintf(sm->outcome.text, sizeof sm->outcome.text,
             "%.150s: block (%u,%u,%u), from thread %d on", wrong, sm->block.x, sm->block.y,
             sm->block.z, lanes[0].linear);
}

/* Releases the lanes whose wait is over. True if there were any. */
static bool wake(struct gr_sm *sm, struct gr_fiber *lanes, int count)
{
    const uint64_t live = live_lanes(lanes, count);
    bool woke = false;
    for (int i = 0; i < count; i++) {
        struct gr_fiber *f = &lanes[i];
        if (f->state == GR_FIBER_WARP && met(lanes, count, f, live)) {
            uint64_t mask = f->mask;
            if (f->meeting == GR_MEETING_TOGETHER)
                work_together(sm, lanes, count);
            exchange(sm->tracer, lanes, count, mask);
            if (sm->tracer)
                gr_trace_warp_met(sm->tracer, lanes[0].linear / sm->warp, mask, count);
            woke = true;
        } else if (f->state == GR_FIBER_WAIT && f->ready(f->ready_state)) {
            f->state = GR_FIBER_READY;
            woke = true;
        }
    }
    return woke;
}

/* Runs a warp until none of its threads can continue. True if any of them ran. */
static bool run_warp(struct gr_sm *sm, struct gr_fiber *lanes, int count)
{
    bool ran = false, again = true;
    while (again) {
        bool any = false;
        for (int i = 0; i < count; i++)
            if (lanes[i].state == GR_FIBER_READY) {
                resume(sm, &lanes[i]);
                any = true;
            }
        if (sm->outcome.status != GR_SIM_DONE)
            return false;
        if (any && sm->tracer)
            gr_trace_warp(sm->tracer, sm, lanes, count);
        if (sm->phase_over && sm->tracer)
            gr_trace_phase(sm->tracer);
        sm->phase_over = false;
        bool woke = wake(sm, lanes, count);
        if (woke && sm->tracer)
            gr_trace_warp_waits(sm->tracer);
        ran |= any;
        again = woke;
    }
    if (ran && sm->tracer)
        gr_trace_warp_waits(sm->tracer);
    return ran;
}

/* ---- The block's barrier. ---- */

struct census {
    int barrier, done, other;
    const struct gr_fiber *at_barrier, *exited, *stuck;
};

static struct census take_census(const struct gr_sm *sm)
{
    struct census c = {0};
    for (int i = 0; i < sm->threads; i++) {
        const struct gr_fiber *f = &sm->fibers[i];
        if (f->state == GR_FIBER_BARRIER) {
            c.barrier++;
            if (!c.at_barrier)
                c.at_barrier = f;
        } else if (f->state == GR_FIBER_DONE) {
            c.done++;
            if (!c.exited)
                c.exited = f;
        } else {
            c.other++;
            c.stuck = f;
        }
    }
    return c;
}

static void release_barrier(struct gr_sm *sm, const struct census *c)
{
    sm->voted = sm->arrived = 0;
    sm->voters = c->barrier;
    for (int i = 0; i < sm->threads; i++) {
        struct gr_fiber *f = &sm->fibers[i];
        if (f->state != GR_FIBER_BARRIER)
            continue;
        sm->voted += f->value != 0;
        f->state = GR_FIBER_READY;
        if (f->lane == 0)
            sm->barriers++;
    }
    if (sm->tracer)
        gr_trace_barrier(sm->tracer, sm, c->at_barrier, NULL, c->exited);
}

/* Finds two lanes of a warp of which one waits for the other, but in different functions or with
 * different masks. */
static bool find_apart(const struct gr_sm *sm, const struct gr_fiber **one,
                       const struct gr_fiber **other)
{
    for (int i = 0; i < sm->threads; i++)
        for (int j = i + 1; j < sm->threads && j / sm->warp == i / sm->warp; j++) {
            const struct gr_fiber *a = &sm->fibers[i], *b = &sm->fibers[j];
            const int first = i - i % sm->warp, rest = sm->threads - first;
            const uint64_t live = live_lanes(&sm->fibers[first], rest < sm->warp ? rest : sm->warp);
            if (a->state != GR_FIBER_WARP || b->state != GR_FIBER_WARP || meets(a, b, live) ||
                !((a->mask >> b->lane | b->mask >> a->lane) & 1))
                continue;
            *one = a;
            *other = b;
            return true;
        }
    return false;
}

static void report_apart(struct gr_sm *sm, const struct gr_fiber *one, const struct gr_fiber *other)
{
    int length =
        snprintf(sm->outcome.text, sizeof sm->outcome.text,
                 "deadlock in block (%u,%u,%u): lane %d waits with the mask 0x%llx ", sm->block.x,
                 sm->block.y, sm->block.z, one->lane, (unsigned long long)one->mask);
    char *rest = sm->outcome.text + length;
    size_t room = sizeof sm->outcome.text - (size_t)length;
    if (one->mask == other->mask)
        snprintf(rest, room, "in a function that does not meet the one of lane %d", other->lane);
    else
        snprintf(rest, room, "for lane %d, which waits with the mask 0x%llx", other->lane,
                 (unsigned long long)other->mask);
}

/* Reports that no thread of the block can continue. */
static void report_deadlock(struct gr_sm *sm, const struct census *c)
{
    sm->outcome.status = GR_SIM_FAILED;
    snprintf(sm->outcome.text, sizeof sm->outcome.text,
             "deadlock in block (%u,%u,%u): %d threads wait for others of their warp or for a "
             "condition, %d at a barrier, %d have exited",
             sm->block.x, sm->block.y, sm->block.z, c->other, c->barrier, c->done);
    const struct gr_fiber *one, *other;
    if (find_apart(sm, &one, &other)) {
        report_apart(sm, one, other);
        if (sm->tracer)
            gr_trace_apart(sm->tracer, one, other);
    } else if (sm->tracer && c->at_barrier) {
        gr_trace_barrier(sm->tracer, sm, c->at_barrier, c->stuck, NULL);
    }
}

static void restart_threads(struct gr_sm *sm)
{
    for (int i = 0; i < sm->threads; i++) {
        if (sm->fibers[i].killed || sm->fibers[i].state != GR_FIBER_DONE)
            start_thread(sm, i);
        sm->fibers[i].state = GR_FIBER_READY;
        sm->fibers[i].count = 0;
        sm->fibers[i].active = 0;
    }
}

void gr_sm_run_block(struct gr_sm *sm, int64_t number)
{
    int64_t x = sm->grid_size.x, y = sm->grid_size.y;
    gr_sm = sm;
    sm->block = (struct gr_sim_index){(unsigned)(number % x), (unsigned)(number / x % y),
                                      (unsigned)(number / x / y)};
    sm->arrived = 0;
    restart_threads(sm);
    if (sm->tracer)
        gr_trace_block_begins(sm->tracer, sm);
    for (;;) {
        bool ran = false;
        for (int first = 0; first < sm->threads && sm->outcome.status == GR_SIM_DONE;
             first += sm->warp) {
            int left = sm->threads - first;
            ran |= run_warp(sm, &sm->fibers[first], left < sm->warp ? left : sm->warp);
        }
        if (sm->outcome.status != GR_SIM_DONE)
            break;
        struct census c = take_census(sm);
        if (c.barrier == 0 && c.other == 0)
            break;
        if (c.other == 0)
            release_barrier(sm, &c);
        else if (!ran) {
            report_deadlock(sm, &c);
            break;
        }
    }
    if (sm->tracer)
        gr_trace_block_ends(sm->tracer, sm);
    gr_hot.stack_bytes = UINTPTR_MAX;
    gr_sm = NULL;
}
