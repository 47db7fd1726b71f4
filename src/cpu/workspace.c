/* workspace.c: threads and packing buffers that are kept from call to call.
 * SPDX-License-Identifier: MIT
 *
 * A call takes a workspace out of a slot by one atomic exchange, and puts it back by a
 * compare-and-exchange. This needs no lock and no allocation, and concurrent calls never share a
 * workspace. If a thread forks while another thread is in a call, that slot is empty in the child,
 * which creates its own workspace. */
#include "cpu/workspace.h"

#include "cpu/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SLOTS = 16, HUGE_PAGE = 2 << 20 };

static _Alignas(64) char last_memory[GR_LAST_MEMORY_BYTES];
static pthread_mutex_t last_memory_lock = PTHREAD_MUTEX_INITIALIZER;

/* Workspaces that are not in use: those for the caller's thread alone, and those with a team. */
static _Atomic(struct gr_workspace *) alone[SLOTS], teams[SLOTS];
static atomic_int busy_threads;

int gr_workspace_busy_threads(void)
{
    return atomic_load_explicit(&busy_threads, memory_order_relaxed);
}

/* After a fork, no other thread of the child is in a call, whatever the threads of the parent were
 * doing. */
static void none_is_busy(void)
{
    atomic_store_explicit(&busy_threads, 0, memory_order_relaxed);
    pthread_mutex_init(&last_memory_lock, NULL);
}

static void register_for_forks(void)
{
    pthread_atfork(NULL, NULL, none_is_busy);
}

static void watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_for_forks);
}

static void count_busy(int threads)
{
    watch_forks();
    atomic_fetch_add_explicit(&busy_threads, threads, memory_order_relaxed);
}

char *gr_last_memory_take(void)
{
    watch_forks();
    pthread_mutex_lock(&last_memory_lock);
    return last_memory;
}

void gr_last_memory_give(void)
{
    pthread_mutex_unlock(&last_memory_lock);
}

static void destroy(struct gr_workspace *workspace)
{
    gr_team_close(workspace->team);
    free(workspace->buffer);
    free(workspace);
}

/* A load comes first, because exchanging an empty slot would remove its cache line from the caches
 * of other cores. */
static struct gr_workspace *take_from(_Atomic(struct gr_workspace *) *slots)
{
    struct gr_workspace *workspace = NULL;
    for (int i = 0; i < SLOTS && !workspace; i++)
        if (atomic_load_explicit(&slots[i], memory_order_relaxed))
            workspace = atomic_exchange_explicit(&slots[i], NULL, memory_order_acquire);
    return workspace;
}

/* When the library is unloaded, no thread may be left that would return into its code. */
__attribute__((destructor)) static void destroy_all(void)
{
    struct gr_workspace *workspace;
    while ((workspace = take_from(alone)) || (workspace = take_from(teams)))
        destroy(workspace);
}

struct gr_workspace *gr_workspace_take(int threads)
{
    struct gr_workspace *workspace = take_from(threads > 1 ? teams : alone);
    if (!workspace)
        workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return NULL;
    if (threads > 1 && workspace->threads != threads) {
        gr_team_close(workspace->team);
        workspace->team = gr_team_open(threads);
    }
    workspace->threads = threads;
    if (threads > 1)
        count_busy(threads);
    return workspace;
}

/* With pages of 2 MB, a block of A and a panel of B need a few TLB entries instead of hundreds. */
bool gr_workspace_reserve(struct gr_workspace *workspace, int64_t bytes)
{
    if (bytes <= workspace->buffer_bytes)
        return true;
    if (workspace->lent)
        return false;
    const int64_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *buffer = aligned_alloc(HUGE_PAGE, (size_t)whole);
    if (!buffer)
        return false;
    madvise(buffer, (size_t)whole, MADV_HUGEPAGE);
    free(workspace->buffer);
    workspace->buffer = buffer;
    workspace->buffer_bytes = whole;
    return true;
}

void gr_workspace_give(struct gr_workspace *workspace)
{
    _Atomic(struct gr_workspace *) *slots = workspace->threads > 1 ? teams : alone;
    if (workspace->threads > 1)
        atomic_fetch_sub_explicit(&busy_threads, workspace->threads, memory_order_relaxed);
    for (int i = 0; i < SLOTS; i++) {
        struct gr_workspace *empty = NULL;
        if (atomic_compare_exchange_strong_explicit(&slots[i], &empty, workspace,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    destroy(workspace);
}
