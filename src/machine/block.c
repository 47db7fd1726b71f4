/* block.c: runs a block. Its warps have turns, and within a warp, so have the paths that its lanes
 * are on.
 * SPDX-License-Identifier: MIT
 *
 * Lanes leave a path at a divergent branch. They reconverge where the machine code says so (BSYNC,
 * WARPSYNC), and nowhere else. The hardware does the same, which is why its numbers of requests are
 * those of this order. A path runs until it waits, ends, or has executed a number of steps; then
 * the next path of the warp runs, and when no path of the warp can continue, the next warp. Loops
 * that wait for other lanes or other warps therefore end. */
#include "machine/block.h"
#include "machine/copies.h"
#include "machine/lane_functions.h"
#include "machine/flights.h"
#include "machine/group_products.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of steps after which another path or another warp has its turn. */
enum { TURN_STEPS = 20000, TURN_OF_PATH = 500 };
/* How many waits for mbarriers may end without success while all paths wait, before this is
 * reported as a deadlock. */
enum { WAITS_IN_VAIN = 100 };

/* ---- Paths. ---- */

static struct gr_path *current(struct gr_warp *w)
{
    return &w->paths[w->current];
}

static struct gr_path *add_path(struct gr_warp *w, uint32_t pc, uint32_t mask)
{
    struct gr_path *p = &w->paths[w->path_count++];
    *p = (struct gr_path){.pc = pc, .mask = mask};
    return p;
}

static void remove_path(struct gr_warp *w, int index)
{
    w->paths[index] = w->paths[--w->path_count];
}

/* Removes these lanes from the path. Returns true if lanes have left the path. */
static bool leave(struct gr_warp *w, uint32_t taken, uint32_t target)
{
    if (taken == w->mask) {
        w->pc = target - 1;
        return false;
    }
    if (taken == 0)
        return false;
    add_path(w, target, taken);
    w->mask &= ~taken;
    return true;
}

void gr_warp_branch(struct gr_warp *w, uint32_t taken, uint32_t target)
{
    const uint32_t at = w->pc;
    w->block->executed[at].divergent += leave(w, taken, target);
}

void gr_warp_jump(struct gr_warp *w, uint32_t active, const uint32_t target[GR_WARP_LANES])
{
    uint32_t left = active;
    int64_t *divergent = &w->block->executed[w->pc].divergent;
    const int64_t before = *divergent;
    while (left) {
        uint32_t to = target[__builtin_ctz(left)], same = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (target[__builtin_ctz(rest)] == to)
                same |= rest & -rest;
        left &= ~same;
        const bool all = same == w->mask;
        if (leave(w, same, to))
            *divergent = before + 1;
        if (all)
            return;
    }
}

void gr_warp_exit(struct gr_warp *w, uint32_t active)
{
    w->live &= ~active;
    w->mask &= ~active;
    w->stopped |= w->mask == 0;
}

void gr_warp_wait(struct gr_warp *w, enum gr_path_state state, int number, uint32_t waits_for)
{
    struct gr_path *p = current(w);
    p->state = state;
    p->number = number;
    p->waits_for = waits_for;
    w->stopped = true;
}

void gr_warp_wait_again(struct gr_warp *w, uint32_t active)
{
    struct gr_block *b = w->block;
    struct gr_executed *e = &b->executed[w->pc];
    e->warps--; /* so that each wait is counted once */
    e->threads -= __builtin_popcount(w->mask);
    e->lanes -= __builtin_popcount(active);
    gr_warp_wait(w, GR_PATH_MBARRIER, 0, b->events);
    w->pc--;
}

void gr_block_event(struct gr_block *b)
{
    b->events++;
    b->in_vain = 0;
}

void gr_warp_yield(struct gr_warp *w)
{
    w->stopped = true;
}

/* Returns the lanes that wait for the same as `p` does. */
static uint32_t waiting_like(const struct gr_warp *w, const struct gr_path *p)
{
    uint32_t lanes = 0;
    for (int i = 0; i < w->path_count; i++) {
        const struct gr_path *q = &w->paths[i];
        if (q->state == p->state && q->number == p->number && q->waits_for == p->waits_for)
            lanes |= q->mask;
    }
    return lanes;
}

/* Joins all paths that wait for the same as path `index` and are at the same step. */
static void release(struct gr_warp *w, int index)
{
    const struct gr_path like = w->paths[index];
    for (int i = 0; i < w->path_count; i++) {
        struct gr_path *q = &w->paths[i];
        if (q->state != like.state || q->number != like.number || q->waits_for != like.waits_for)
            continue;
        q->state = GR_PATH_READY;
        for (int j = w->path_count - 1; j > i; j--) {
            const struct gr_path *r = &w->paths[j];
            if (r->state == like.state && r->number == like.number &&
                r->waits_for == like.waits_for && r->pc == q->pc) {
                q->mask |= r->mask;
                remove_path(w, j);
            }
        }
    }
}

/* Releases the lanes whose wait for other lanes is over. Returns true if there are any. */
static bool wake(struct gr_warp *w)
{
    bool woke = false;
    for (int i = 0; i < w->path_count; i++) {
        struct gr_path *p = &w->paths[i];
        if (p->state == GR_PATH_MBARRIER && p->waits_for != w->block->events) {
            p->state = GR_PATH_READY;
            woke = true;
        }
        if (p->state != GR_PATH_SYNC && p->state != GR_PATH_TOGETHER)
            continue;
        uint32_t here = waiting_like(w, p);
        if ((p->waits_for & w->live & ~here) != 0)
            continue;
        if (p->state == GR_PATH_TOGETHER && w->block->watch && w->block->watch->met)
            w->block->watch->met(w->block->watch->state, w, here);
        release(w, i);
        woke = true;
    }
    return woke;
}

/* ---- Steps. ---- */

/* Runs `count` steps from w->pc on, none of which accesses memory or branches. */
static void run_straight(struct gr_warp *w, const struct gr_step *s, int count, int threads)
{
    struct gr_straight *begin = &w->block->straight[w->pc], *end = begin + count;
    const uint32_t mask = w->mask;
    for (int i = 0; i < count; i++) {
        const int ffmas = s[i].ffmas < count - i ? s[i].ffmas : count - i;
        if (mask == ~0u && ffmas > 1) {
            w->block->program->lanes->ffma_sequence(w, &s[i], ffmas);
            i += ffmas - 1;
        } else {
            s[i].run(w, &s[i], s[i].uniform ? ~0u : mask);
        }
    }
    begin->warps++;
    begin->threads += threads;
    end->warps--;
    end->threads -= threads;
    w->pc += (uint32_t)count;
}

/* Adds the counts of run_straight to the counts of the steps. */
static void add_straight(struct gr_block *b)
{
    struct gr_straight sum = {0};
    for (int i = 0; i <= b->program->count; i++) {
        sum.warps += b->straight[i].warps;
        sum.threads += b->straight[i].threads;
        b->executed[i].warps += sum.warps;
        b->executed[i].threads += sum.threads;
        b->executed[i].lanes += sum.threads;
    }
    memset(b->straight, 0, ((size_t)b->program->count + 1) * sizeof *b->straight);
}

/* Runs the current path until it stops. */
static void run_path(struct gr_warp *w, int most)
{
    struct gr_block *b = w->block;
    const struct gr_step *steps = b->program->steps;
    struct gr_executed *executed = b->executed;
    /* And its number of lanes, which is counted again only when the mask changes. */
    uint32_t mask = 0;
    int threads = 0;
    const uint32_t count = (uint32_t)b->program->count;
    w->stopped = false;
    for (int n = 0; n < most && !w->stopped; n++) {
        if (w->pc >= count) {
            gr_block_fail(w, GR_BLOCK_FAILED, "the kernel runs past the end of its code");
            return;
        }
        const struct gr_step *s = &steps[w->pc];
        if (mask != w->mask) {
            mask = w->mask;
            threads = __builtin_popcount(mask);
        }
        if (s->straight > 1 && !w->guards) {
            const int straight = s->straight < most - n ? s->straight : most - n;
            run_straight(w, s, straight, threads);
            n += straight - 1;
            continue;
        }
        uint32_t on = w->p[s->guard] ^ (s->guard_flip ? ~0u : 0u);
        uint32_t active = s->uniform ? on : on & w->mask;
        struct gr_executed *e = &executed[w->pc];
        e->warps++;
        e->threads += threads;
        e->lanes += (on & mask) == mask ? threads : __builtin_popcount(on & mask);
        if (active && w->guards)
            gr_products_guard(w, active);
        if (active)
            s->run(w, s, active);
        w->pc++;
    }
    b->clock += (uint64_t)most;
}

/* Runs the warp's paths in turn. Returns true if any of them ran. */
static bool run_warp(struct gr_warp *w)
{
    bool ran = wake(w);
    int turn = 0;
    for (bool again = true; again && turn < TURN_STEPS;) {
        again = false;
        for (int i = 0; i < w->path_count && w->block->status == GR_BLOCK_RUNS; i++) {
            if (w->paths[i].state != GR_PATH_READY)
                continue;
            w->current = i;
            w->pc = w->paths[i].pc;
            w->mask = w->paths[i].mask;
            w->timed_out = w->paths[i].timed_out;
            w->paths[i].timed_out = false;
            int most = w->path_count > 1 ? TURN_OF_PATH : TURN_STEPS;
            run_path(w, most);
            if (w->block->watch && w->block->watch->turn)
                w->block->watch->turn(w->block->watch->state, w);
            turn += most;
            ran = again = true;
            w->paths[i].pc = w->pc;
            w->paths[i].mask = w->mask;
            if (w->mask == 0)
                remove_path(w, i--);
        }
        again |= wake(w);
        if (w->path_count == 1 && w->stopped && w->paths[0].state == GR_PATH_READY)
            return true; /* the other warps have their turn */
    }
    return ran;
}

/* ---- The block's barriers. ---- */

/* A warp of which all existing lanes arrive counts as 32 threads, because bar.sync counts whole
 * warps. */
static int weight(const struct gr_warp *w, uint32_t mask)
{
    return mask == w->existing ? GR_WARP_LANES : __builtin_popcount(mask);
}

void gr_warp_barrier(struct gr_warp *w, uint32_t active, const struct gr_arrival *a)
{
    struct gr_named_barrier *b = &w->block->barriers[a->number];
    if (b->arrived == 0)
        b->true_count = 0;
    b->arrived += weight(w, active);
    b->wanted = a->wanted;
    b->reduction = a->reduction;
    b->true_count += __builtin_popcount(a->predicate & active);
    if (!a->waits)
        return;
    b->waiting += __builtin_popcount(active);
    w->block->barrier_waits++;
    if (active == w->mask) {
        gr_warp_wait(w, GR_PATH_BARRIER, a->number, 0);
        return;
    }
    struct gr_path *p = add_path(w, w->pc + 1, active);
    p->state = GR_PATH_BARRIER;
    p->number = a->number;
    w->mask &= ~active;
}

static int live_threads(const struct gr_block *b)
{
    int live = 0;
    for (int i = 0; i < b->warp_count; i++)
        live += __builtin_popcount(b->warps[i].live);
    return live;
}

/* Stores the result of the barrier's reduction, which B2R.RESULT reads. */
static void tell_reduction(struct gr_warp *w, const struct gr_named_barrier *barrier)
{
    if (barrier->reduction == GR_REDUCTION_NONE)
        return;
    w->reduced_count = barrier->true_count;
    w->reduced_truth = barrier->reduction == GR_REDUCTION_AND
                           ? barrier->true_count == barrier->waiting
                           : barrier->true_count > 0;
}

static void release_barrier(struct gr_block *b, int number)
{
    struct gr_named_barrier *barrier = &b->barriers[number];
    if (b->watch && b->watch->barrier)
        b->watch->barrier(b->watch->state, b, number);
    for (int i = 0; i < b->warp_count; i++)
        for (int j = 0; j < b->warps[i].path_count; j++) {
            struct gr_path *p = &b->warps[i].paths[j];
            if (p->state != GR_PATH_BARRIER || p->number != number)
                continue;
            p->state = GR_PATH_READY;
            tell_reduction(&b->warps[i], barrier);
        }
    barrier->waiting = barrier->arrived = barrier->wanted = 0;
}

/* Releases the barriers that are complete. Returns true if there are any. */
static bool release_barriers(struct gr_block *b)
{
    bool released = false;
    for (int i = 0; i < GR_BARRIERS; i++) {
        const struct gr_named_barrier *barrier = &b->barriers[i];
        bool complete = barrier->wanted
                            ? barrier->arrived >= barrier->wanted
                            : barrier->waiting > 0 && barrier->waiting == live_threads(b);
        if (!complete)
            continue;
        release_barrier(b, i);
        released = true;
    }
    return released;
}

/* ---- Warpgroups, and waits for mbarriers. ---- */

/* Does the warp wait for its warpgroup with all its lanes? */
static bool waits_for_group(const struct gr_warp *w)
{
    return w->path_count == 1 && w->paths[0].state == GR_PATH_GROUP && w->paths[0].mask == ~0u;
}

/* Releases the warpgroups whose four warps wait for one another. Returns true if there are any. */
static bool release_groups(struct gr_block *b)
{
    bool released = false;
    for (int first = 0; first + GR_WGMMA_WARPS <= b->warp_count; first += GR_WGMMA_WARPS) {
        struct gr_warp *w = &b->warps[first];
        int waiting = 0;
        while (waiting < GR_WGMMA_WARPS && waits_for_group(&w[waiting]))
            waiting++;
        for (int i = 0; i < GR_WGMMA_WARPS && waiting == GR_WGMMA_WARPS; i++)
            w[i].paths[0].state = GR_PATH_READY;
        released |= waiting == GR_WGMMA_WARPS;
    }
    return released;
}

bool gr_block_time_out(struct gr_block *b)
{
    bool any = false;
    for (int i = 0; i < b->warp_count; i++)
        for (int j = 0; j < b->warps[i].path_count; j++) {
            struct gr_path *p = &b->warps[i].paths[j];
            if (p->state != GR_PATH_MBARRIER)
                continue;
            any = true;
            if (b->in_vain < WAITS_IN_VAIN) {
                p->state = GR_PATH_READY;
                p->timed_out = true;
            }
        }
    return any && b->in_vain++ < WAITS_IN_VAIN;
}

/* ---- The block. ---- */

void gr_block_fail(struct gr_warp *w, enum gr_block_status status, const char *format, ...)
{
    struct gr_block *b = w->block;
    va_list arguments;
    w->stopped = true;
    if (b->status != GR_BLOCK_RUNS)
        return;
    b->status = status;
    b->failed_at = w->pc;
    va_start(arguments, format);
    vsnprintf(b->text, sizeof b->text, format, arguments);
    va_end(arguments);
}

bool gr_block_open(struct gr_block *b, const struct gr_program *program,
                   const struct gr_program_launch *launch, struct gr_machine_memory *memory,
                   const struct gr_machine_watch *watch)
{
    *b = (struct gr_block){.program = program, .launch = launch, .memory = memory, .watch = watch};
    b->threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    b->warp_count = (b->threads + GR_WARP_LANES - 1) / GR_WARP_LANES;
    b->shared_bytes = program->shared_bytes + launch->dynamic_smem_bytes;
    b->warps = aligned_alloc(_Alignof(struct gr_warp), (size_t)b->warp_count * sizeof *b->warps);
    b->shared = aligned_alloc(1024, ((size_t)b->shared_bytes + 1024) / 1024 * 1024);
    b->local = malloc((size_t)program->local_bytes * GR_WARP_LANES * (size_t)b->warp_count + 16);
    b->executed = calloc((size_t)program->count + 1, sizeof *b->executed);
    b->straight = calloc((size_t)program->count + 1, sizeof *b->straight);
    if (b->warps)
        memset(b->warps, 0, (size_t)b->warp_count * sizeof *b->warps);
    return b->warps && b->shared && b->local && b->executed && b->straight;
}

void gr_block_close(struct gr_block *b)
{
    for (int i = 0; i < b->warp_count && b->warps; i++) {
        gr_copies_free(&b->warps[i]);
        gr_flights_free(&b->warps[i].stores);
        gr_products_free(&b->warps[i]);
    }
    gr_flights_free(&b->loads);
    free(b->warps);
    free(b->shared);
    free(b->local);
    free(b->executed);
    free(b->straight);
}

/* Resets the state of a warp. The registers keep their values from the block before. */
static void start_warp(struct gr_block *b, int number)
{
    struct gr_warp *w = &b->warps[number];
    int left = b->threads - number * GR_WARP_LANES;
    w->existing = left >= GR_WARP_LANES ? ~0u : (1u << left) - 1;
    w->live = w->existing;
    w->number = number;
    w->block = b;
    memset(w->p, 0, sizeof w->p);
    w->p[GR_PREDICATE_ALWAYS] = ~0u;
    memset(w->convergence, 0, sizeof w->convergence);
    w->cluster_arrived = w->cluster_owes = 0;
    w->path_count = 0;
    add_path(w, 0, w->live);
    w->timed_out = false;
    gr_copies_begin(w);
    gr_flights_begin(w->stores);
    gr_products_begin(w);
}

void gr_block_begin(struct gr_block *b, unsigned x, unsigned y, unsigned z)
{
    b->index[0] = x;
    b->index[1] = y;
    b->index[2] = z;
    b->status = GR_BLOCK_RUNS;
    b->in_vain = 0;
    gr_flights_begin(b->loads);
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->shared, 0xff, (size_t)b->shared_bytes); /* NaN until it is written */
    for (int i = 0; i < b->warp_count; i++)
        start_warp(b, i);
}

bool gr_block_turn(struct gr_block *b)
{
    bool ran = false;
    for (int i = 0; i < b->warp_count && b->status == GR_BLOCK_RUNS; i++)
        ran |= run_warp(&b->warps[i]);
    if (b->status == GR_BLOCK_RUNS && live_threads(b) == 0) {
        b->status = GR_BLOCK_DONE;
        gr_products_compare(b);
    }
    if (b->status != GR_BLOCK_RUNS) {
        add_straight(b);
        return true;
    }
    const bool barriers = release_barriers(b), groups = release_groups(b);
    return barriers || groups || ran;
}

void gr_block_pass_cluster(struct gr_block *b)
{
    for (int i = 0; i < b->warp_count; i++) {
        struct gr_warp *w = &b->warps[i];
        w->cluster_arrived = 0;
        for (int j = 0; j < w->path_count; j++)
            if (w->paths[j].state == GR_PATH_CLUSTER)
                release(w, j);
    }
    if (b->watch && b->watch->phase)
        b->watch->phase(b->watch->state, &b->warps[0]);
}
