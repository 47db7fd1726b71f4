/* team.c: a pool of threads that exist from call to call, and share a loop by taking one tile after
 * another. SPDX-License-Identifier: MIT
 *
 * Each thread has a share of the tiles, a contiguous range, and takes those first: if the same loop
 * or a similar one is repeated, their operands and their part of C are in the caches of its own
 * core. Then it takes the tiles that are left in the shares of the others. If there are two loops,
 * it continues with the second in the same way.
 *
 * Workers spin briefly for the next loop, because in a GEMM it begins within microseconds, and then
 * sleep on a futex. No thread waits for a worker that has not started: the caller takes tiles
 * itself, closes the loop when none is left, and waits only for threads that are still computing a
 * tile. So a thread that the system has delayed delays the loop by its current tile at most.
 *
 * Linux tends to wake a thread on the core of the thread that wakes it, where it may wait for some
 * milliseconds while other cores are idle. So a worker removes that core from its affinity mask
 * before it sleeps.
 *
 * Workers use the caller's floating-point environment: a worker rounds and treats denormal numbers
 * as the caller does, and the exception flags that it raises become the caller's. A worker has no
 * traps enabled, because the signal would be delivered to a thread that the program does not
 * know. */
#include "cpu/cpu.h"
#include "cpu/fp_state.h"
#include "ukr.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The two flags in `crew`; its other bits are the number of workers that are inside the loop. */
enum { CREW_OPEN = 1 << 30, CREW_AWAITED = 1 << 29 };
/* About 200 microseconds, or 60 if a pause instruction takes 40 cycles instead of 140 (before
 * Skylake, and on Zen). Waking a thread takes tens of microseconds, and a program that computes
 * many products does a little work between them. */
enum { SPINS = 4000 };

/* The remaining tiles of a thread, in a cache line of its own. */
struct share {
    _Alignas(64) atomic_llong next;
    int64_t end;
};

enum { MOST_LOOPS = 2 };

struct pool {
    struct gr_team team; /* first, so that a pointer to the team is one to the pool */
    /* the current loops, which run one after another */
    struct gr_loop loops[MOST_LOOPS];
    int loop_count;
    void *context;
    uint32_t fp_control;  /* the caller's control word, with traps disabled */
    struct share *shares; /* for each loop, one for each thread */
    _Alignas(64) atomic_uint crew;
    atomic_uint fp_flags; /* raised by workers */
    /* increased when there is a loop */
    _Alignas(64) atomic_uint bell;
    atomic_uint sleepers;
    atomic_int caller_core; /* the core of the caller of the last loop; -1 if there was none */
    atomic_bool stop;
    unsigned generation; /* the value of `forks` when the workers were created */
    int worker_count;
    struct worker *workers;
};

struct worker {
    struct pool *pool;
    pthread_t handle;
    int index; /* from 1 on; the caller is thread 0 */
};

/* The number of forks between this process and its first ancestor. After a fork, threads do not
 * exist in the child, so a team that was created before starts its workers again. */
static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void futex_wait(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static struct share *share_of(struct pool *pool, int loop, int thread)
{
    return &pool->shares[loop * pool->team.threads + thread];
}

static void share_out(struct pool *pool, int loop)
{
    const int threads = pool->team.threads;
    const int64_t tiles = pool->loops[loop].tiles;
    for (int i = 0; i < threads; i++) {
        struct share *share = share_of(pool, loop, i);
        atomic_store_explicit(&share->next, tiles * i / threads, memory_order_relaxed);
        share->end = tiles * (i + 1) / threads;
    }
}

static void take_share(struct pool *pool, int loop, struct share *share, int thread)
{
    while (atomic_load_explicit(&share->next, memory_order_relaxed) < share->end) {
        int64_t tile = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (tile >= share->end)
            return;
        pool->loops[loop].body(pool->context, tile, thread);
    }
}

/* A thread takes its own share first and then those of the threads after it, so that threads do not
 * all take from the same share. */
static void take_tiles(struct pool *pool, int thread)
{
    const int threads = pool->team.threads;
    for (int loop = 0; loop < pool->loop_count; loop++)
        for (int i = 0; i < threads; i++)
            take_share(pool, loop, share_of(pool, loop, (thread + i) % threads), thread);
}

/* Enters the loop if it is still open. Returns whether it did. */
static bool join_crew(struct pool *pool)
{
    unsigned crew = atomic_load_explicit(&pool->crew, memory_order_relaxed);
    while (crew & CREW_OPEN)
        if (atomic_compare_exchange_weak_explicit(&pool->crew, &crew, crew + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

static void leave_crew(struct pool *pool)
{
    unsigned before = atomic_fetch_sub_explicit(&pool->crew, 1, memory_order_acq_rel);
    if (before == (CREW_AWAITED | 1))
        futex_wake(&pool->crew, 1);
}

/* Removes the caller's core from the affinity mask of this thread, if any other core is left.
 * Returns whether it did; then *all is the mask before, and *rest the mask after. */
static bool give_up_core(const struct pool *pool, cpu_set_t *all, cpu_set_t *rest)
{
    const int core = atomic_load_explicit(&pool->caller_core, memory_order_relaxed);
    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof *all, all))
        return false;
    *rest = *all;
    CPU_CLR(core, rest);
    return CPU_COUNT(rest) > 0 && !CPU_EQUAL(rest, all) &&
           !sched_setaffinity(0, sizeof *rest, rest);
}

/* Restores the affinity mask, unless the program has changed it meanwhile. */
static void take_back_core(const cpu_set_t *all, const cpu_set_t *rest)
{
    cpu_set_t now;
    if (!sched_getaffinity(0, sizeof now, &now) && CPU_EQUAL(&now, rest))
        sched_setaffinity(0, sizeof *all, all);
}

/* Waits until the bell has another value than `heard`. A worker increases `sleepers` before it
 * reads the bell for the last time, and the caller changes the bell before it reads `sleepers`.
 * Both are sequentially consistent, so no change is missed. */
static unsigned await_bell(struct pool *pool, unsigned heard)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned bell = atomic_load_explicit(&pool->bell, memory_order_acquire);
        if (bell != heard)
            return bell;
        pause_cpu();
    }
    unsigned bell;
    cpu_set_t all, rest;
    const bool gave_up = give_up_core(pool, &all, &rest);
    atomic_fetch_add(&pool->sleepers, 1);
    while ((bell = atomic_load(&pool->bell)) == heard)
        futex_wait(&pool->bell, heard);
    atomic_fetch_sub(&pool->sleepers, 1);
    if (gave_up)
        take_back_core(&all, &rest);
    return bell;
}

/* Wakes at most as many workers as there are tiles besides the caller's first one. */
static void ring(struct pool *pool, int64_t tiles)
{
    const int64_t wanted = tiles - 1 < pool->worker_count ? tiles - 1 : pool->worker_count;
    atomic_store_explicit(&pool->caller_core, sched_getcpu(), memory_order_relaxed);
    atomic_fetch_add(&pool->bell, 1);
    if (atomic_load(&pool->sleepers))
        futex_wake(&pool->bell, (int)wanted);
}

static void take_tiles_as_caller(struct pool *pool, int thread)
{
    gr_fp_set((struct gr_fp){pool->fp_control, 0});
    take_tiles(pool, thread);
    const uint32_t raised = gr_fp_get().flags;
    if (raised & ~atomic_load_explicit(&pool->fp_flags, memory_order_relaxed))
        atomic_fetch_or_explicit(&pool->fp_flags, raised, memory_order_relaxed);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    char name[16];
    snprintf(name, sizeof name, "gradus-%d", worker->index % 10000);
    pthread_setname_np(pthread_self(), name);
    for (unsigned heard = 0;;) {
        heard = await_bell(pool, heard);
        if (atomic_load(&pool->stop))
            return NULL;
        if (join_crew(pool)) {
            take_tiles_as_caller(pool, worker->index);
            leave_crew(pool);
        }
    }
}

/* Workers block all signals, so that only the program's own threads handle them. If a thread cannot
 * be created, the team is smaller. */
static void start_workers(struct pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    atomic_store(&pool->bell, 0);
    atomic_store(&pool->sleepers, 0);
    atomic_store(&pool->caller_core, -1);
    atomic_store(&pool->crew, 0);
    pool->generation = atomic_load(&forks);
    int started = 0;
    for (; started < pool->worker_count; started++) {
        struct worker *w = &pool->workers[started];
        *w = (struct worker){.pool = pool, .index = started + 1};
        if (pthread_create(&w->handle, NULL, work, w))
            break;
    }
    pool->worker_count = started;
    pool->team.threads = started + 1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Closes the loop and waits for the workers that are still computing a tile. */
static void await_crew(struct pool *pool)
{
    atomic_fetch_and_explicit(&pool->crew, ~(unsigned)CREW_OPEN, memory_order_acq_rel);
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool->crew, memory_order_acquire) == 0)
            return;
        pause_cpu();
    }
    unsigned crew = atomic_fetch_or(&pool->crew, CREW_AWAITED) | CREW_AWAITED;
    while (crew != CREW_AWAITED) {
        futex_wait(&pool->crew, crew);
        crew = atomic_load(&pool->crew);
    }
    atomic_store_explicit(&pool->crew, 0, memory_order_relaxed);
}

static void run_loops(struct pool *pool, const struct gr_loop *loops, int count, void *context)
{
    int64_t tiles = 0;
    pool->loop_count = count;
    pool->context = context;
    for (int loop = 0; loop < count; loop++) {
        pool->loops[loop] = loops[loop];
        share_out(pool, loop);
        tiles += loops[loop].tiles;
    }
    if (pool->worker_count == 0 || tiles <= 1) {
        take_tiles(pool, 0);
        return;
    }
    pool->fp_control = gr_fp_without_traps(gr_fp_get().control);
    atomic_store_explicit(&pool->fp_flags, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->crew, CREW_OPEN, memory_order_release);
    ring(pool, tiles);
    take_tiles(pool, 0);
    await_crew(pool);
    const uint32_t raised = atomic_load_explicit(&pool->fp_flags, memory_order_relaxed);
    if (raised)
        gr_fp_add_flags(raised);
}

/* Returns the pool, and starts its workers if they do not exist in this process. */
static struct pool *pool_of(struct gr_team *team)
{
    struct pool *pool = (struct pool *)team;
    if (pool->generation != atomic_load_explicit(&forks, memory_order_relaxed))
        start_workers(pool);
    return pool;
}

static void run(struct gr_team *team, int64_t tiles,
                void (*body)(void *context, int64_t tile, int thread), void *context)
{
    run_loops(pool_of(team), &(struct gr_loop){tiles, body}, 1, context);
}

void gr_team_run_both(struct gr_team *team, struct gr_loop first, struct gr_loop second,
                      void *context)
{
    run_loops(pool_of(team), (struct gr_loop[MOST_LOOPS]){first, second}, MOST_LOOPS, context);
}

static void release(struct pool *pool)
{
    free(pool->workers);
    free(pool->shares);
    free(pool);
}

struct gr_team *gr_team_open(int threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct pool *pool = aligned_alloc(64, sizeof *pool);
    if (!pool)
        return NULL;
    *pool = (struct pool){.team = {.threads = 1, .run = run}};
    pool->worker_count = threads > 1 ? threads - 1 : 0;
    const size_t most = (size_t)pool->worker_count + 1;
    pool->workers = calloc(most, sizeof *pool->workers);
    pool->shares = aligned_alloc(_Alignof(struct share), MOST_LOOPS * most * sizeof *pool->shares);
    if (!pool->workers || !pool->shares) {
        release(pool);
        return NULL;
    }
    start_workers(pool);
    return &pool->team;
}

void gr_team_close(struct gr_team *team)
{
    struct pool *pool = (struct pool *)team;
    if (!pool)
        return;
    if (pool->generation == atomic_load(&forks)) {
        atomic_store(&pool->stop, true);
        atomic_fetch_add(&pool->bell, 1);
        futex_wake(&pool->bell, pool->worker_count);
        for (int i = 0; i < pool->worker_count; i++)
            pthread_join(pool->workers[i].handle, NULL);
    }
    release(pool);
}
