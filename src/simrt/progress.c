/* progress.c: a thread that watches for progress. If there is none, it interrupts the threads that
 * run blocks until one of them is in the kernel's own code, so that its line can be reported.
 * SPDX-License-Identifier: MIT */
#include "simrt/progress.h"

#include "simrt/interrupted.h"
#include "simrt/sim_clock.h"
#include "simrt/tracer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 80, BLOCK_PATIENCE = 4 };
/* Numbers of interruptions: after TRIES a line outside the kernel's own file is accepted, after
 * TRIES_FOR_ANY no line is needed. */
enum { TRIES = 50, TRIES_FOR_ANY = 500 };
/* If the process uses less than a hundredth of the time over this many intervals of 20 ms, all
 * threads wait. */
enum { IDLE_LOOKS = 500, TICK_NS = 20000000 };

static struct {
    gr_watch_stop_fn *stop;
    int64_t patience_ns;
    pthread_mutex_t lock; /* of the members */
    pthread_t members[MOST];
    int count;
    atomic_llong blocks, barriers, fresh;
    atomic_int tries;
    atomic_flag stopped;
    struct gr_sim_still still; /* what is known before a thread is interrupted */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .stopped = ATOMIC_FLAG_INIT};

void gr_watch_enter(void)
{
    pthread_mutex_lock(&watch.lock);
    if (watch.count < MOST)
        watch.members[watch.count++] = pthread_self();
    pthread_mutex_unlock(&watch.lock);
}

void gr_watch_leave(void)
{
    pthread_mutex_lock(&watch.lock);
    for (int i = 0; i < watch.count; i++)
        if (pthread_equal(watch.members[i], pthread_self()))
            watch.members[i--] = watch.members[--watch.count];
    pthread_mutex_unlock(&watch.lock);
}

void gr_watch_block_ended(void)
{
    atomic_fetch_add_explicit(&watch.blocks, 1, memory_order_relaxed);
}

void gr_watch_barrier(void)
{
    atomic_fetch_add_explicit(&watch.barriers, 1, memory_order_relaxed);
}

void gr_watch_fresh(void)
{
    atomic_fetch_add_explicit(&watch.fresh, 1, memory_order_relaxed);
}

/* ---- In the interrupted thread. ---- */

/* The line of the kernel's own file whose call the thread is waiting in, found by return addresses
 * on its stack; null: none. */
static const struct gr_sim_line *caller_of(const struct gr_sm *sm, uintptr_t stack)
{
    const struct gr_run *run = sm->tracer->run;
    const uintptr_t end = sm->stacks + sm->stride * (size_t)(sm->current->linear + 1);
    for (uintptr_t at = stack / 8 * 8; at - sm->stacks < sm->stacks_bytes && at + 8 <= end;
         at += 8) {
        uintptr_t value = *(const uintptr_t *)at;
        const struct gr_sim_line *line =
            value < UINT32_MAX ? gr_line_find(run, (uint32_t)value) : NULL;
        if (line && line->file == run->job->own_file)
            return line;
    }
    return NULL;
}

/* The line that the thread is at, as soon as an interruption finds it in the kernel's own file. If
 * none does, the line of its last access, if that is in this file; then a line of another file,
 * such as a header. */
static const struct gr_sim_line *line_of(const struct gr_sm *sm, const ucontext_t *context)
{
    const uintptr_t place = gr_place_of(context);
    const struct gr_run *run = sm->tracer->run;
    const struct gr_record *records = sm->current->records;
    const struct gr_sim_line *line = NULL;
    if (place < UINT32_MAX)
        line = gr_line_find(run, gr_code_of((const void *)(place + 1)));
    if (line && line->file == run->job->own_file)
        return line;
    if (atomic_fetch_add(&watch.tries, 1) < TRIES)
        return NULL;
    const struct gr_sim_line *caller =
        watch.still.idle ? caller_of(sm, gr_stack_of(context)) : NULL;
    if (caller)
        return caller;
    const struct gr_record *last =
        gr_hot.cursor > records ? &gr_hot.cursor[-1] : &records[GR_RECORDS - 1];
    const struct gr_sim_line *accessed = gr_line_find(run, last->code);
    return line && !(accessed && accessed->file == run->job->own_file) ? line : accessed;
}

static void interrupted(int signal, siginfo_t *info, void *context)
{
    const struct gr_sm *sm = gr_sm;
    (void)signal;
    (void)info;
    if (!sm || !sm->current || !sm->tracer)
        return;
    const struct gr_sim_line *line = line_of(sm, context);
    if (!line && atomic_load(&watch.tries) <= TRIES_FOR_ANY)
        return;
    if (atomic_flag_test_and_set(&watch.stopped))
        for (;;)
            pause();
    struct gr_sim_still still = watch.still;
    const struct gr_sim_index b = sm->block, t = sm->current->index;
    if (line) {
        still.line = (int)line->line;
        still.file = line->file;
    }
    memcpy(still.block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof still.block);
    memcpy(still.thread, (int[]){(int)t.x, (int)t.y, (int)t.z}, sizeof still.thread);
    watch.stop(&still);
}

/* ---- The watching thread. ---- */

static int members(void)
{
    pthread_mutex_lock(&watch.lock);
    int count = watch.count;
    pthread_mutex_unlock(&watch.lock);
    return count;
}

static void interrupt_one(int turn)
{
    pthread_mutex_lock(&watch.lock);
    if (watch.count > 0)
        pthread_kill(watch.members[turn % watch.count], SIGALRM);
    pthread_mutex_unlock(&watch.lock);
}

/* Do all threads wait, for a lock that is never released or asleep? This is counted in wake-ups of
 * the watching thread and not in time: on a busy machine it wakes up as rarely as the others are
 * scheduled. */
static bool is_idle(int64_t now_ns, bool at_work)
{
    static int64_t then_ns;
    static int looks;
    if (!at_work || now_ns - then_ns > (int64_t)IDLE_LOOKS * TICK_NS / 100) {
        then_ns = now_ns;
        looks = 0;
    }
    return ++looks > IDLE_LOOKS;
}

static void *look(void *nothing)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    long long blocks = -1, barriers = -1, fresh = -1;
    int64_t block_ns = 0, barrier_ns = 0, fresh_ns = 0;
    for (int turn = 0;; turn++) {
        int64_t now_ns = gr_sim_worked_ns();
        long long ended = atomic_load(&watch.blocks), passed = atomic_load(&watch.barriers);
        int at_work = members();
        int64_t patience_ns =
            watch.patience_ns * at_work; /* processor time is the sum over all threads */
        long long touched = atomic_load(&watch.fresh);
        if (touched != fresh)
            fresh_ns = now_ns;
        fresh = touched;
        if (ended != blocks || at_work == 0)
            block_ns = barrier_ns = now_ns;
        if (passed != barriers)
            barrier_ns = now_ns;
        blocks = ended;
        barriers = passed;
        watch.still.passes_barriers = barrier_ns > block_ns;
        watch.still.waited_ns = now_ns - (watch.still.passes_barriers ? block_ns : barrier_ns);
        watch.still.touches = now_ns - fresh_ns < patience_ns / 2;
        watch.still.idle = is_idle(now_ns, at_work > 0);
        if (watch.still.idle || now_ns - barrier_ns > patience_ns ||
            now_ns - block_ns > BLOCK_PATIENCE * patience_ns)
            interrupt_one(turn);
        nanosleep(&tick, NULL);
    }
    return nothing;
}

void gr_watch_open(int64_t patience_ns, gr_watch_stop_fn *stop)
{
    struct sigaction action = {.sa_sigaction = interrupted,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    pthread_t thread;
    watch.stop = stop;
    watch.patience_ns = patience_ns;
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    if (pthread_create(&thread, NULL, look, NULL) == 0)
        pthread_detach(thread);
}
