/* tbb.c: runs the work of a library in an arena of oneTBB, whose size is the number of threads. TBB
 * is a C++ library and its functions have no C names; the symbols and structures are those of
 * oneapi/tbb/task_arena.h, whose binary interface is the same in all versions of libtbb.so.12.
 * SPDX-License-Identifier: MIT */
#include "peer/tbb.h"

#include <limits.h>
#include <stdint.h>

/* tbb::detail::d1::task_arena_base */
struct arena {
    intptr_t version_and_traits; /* 1: it has a core type */
    int initialization_state;
    void *arena;
    int max_concurrency;
    unsigned reserved_slots;
    int priority, numa_id, core_type, max_threads_per_core;
};

/* tbb::detail::d1::delegate_base: an object with virtual functions, which are the call and, by the
 * Itanium C++ ABI, two destructors. */
struct delegate {
    void (*const *virtual_functions)(void);
    void (*work)(const void *context);
    const void *context;
};

typedef void arena_fn(struct arena *arena);
typedef void execute_fn(struct arena *arena, struct delegate *delegate);
typedef int concurrency_fn(const struct arena *arena); /* null: the arena of the calling thread */

static struct {
    arena_fn *initialize, *terminate;
    execute_fn *execute;
    concurrency_fn *max_concurrency;
} tbb;
static struct arena arena;
static bool in_arena; /* otherwise the arena that each thread has anyway is large enough */

bool gr_tbb_bind(const struct gr_peer *peer)
{
#define R1(name) "_ZN3tbb6detail2r1" name "NS0_2d115task_arena_baseE"
    tbb.initialize = (arena_fn *)gr_peer_symbol(peer, R1("10initializeER"));
    tbb.terminate = (arena_fn *)gr_peer_symbol(peer, R1("9terminateER"));
    tbb.execute = (execute_fn *)gr_peer_symbol(peer, R1("7executeER") "RNS2_13delegate_baseE");
    tbb.max_concurrency = (concurrency_fn *)gr_peer_symbol(peer, R1("15max_concurrencyEPK"));
#undef R1
    return tbb.initialize && tbb.terminate && tbb.execute && tbb.max_concurrency;
}

static void make_arena(int threads)
{
    enum { CORE_TYPE = 1, NORMAL = INT_MAX / 4 * 2, AUTOMATIC = -1 };
    if (arena.arena)
        tbb.terminate(&arena);
    arena = (struct arena){.version_and_traits = CORE_TYPE,
                           .max_concurrency = threads,
                           .reserved_slots = 1,
                           .priority = NORMAL,
                           .numa_id = AUTOMATIC,
                           .core_type = AUTOMATIC,
                           .max_threads_per_core = AUTOMATIC};
    tbb.initialize(&arena);
}

/* Entering an arena takes about 25 ns. A worker may use as many cores as it has threads, and TBB's
 * own arenas have the same size, so its products are computed without entering one. */
void gr_tbb_set_threads(int threads)
{
    in_arena = tbb.max_concurrency(NULL) != threads;
    if (in_arena && arena.max_concurrency != threads)
        make_arena(threads);
}

static bool call(const struct delegate *delegate)
{
    delegate->work(delegate->context);
    return true;
}

static void destroy(void)
{
}

void gr_tbb_run(void (*work)(const void *context), const void *context)
{
    static void (*const virtual_functions[])(void) = {(void (*)(void))call, destroy, destroy};
    if (in_arena)
        tbb.execute(&arena, &(struct delegate){virtual_functions, work, context});
    else
        work(context);
}
