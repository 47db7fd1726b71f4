/* crew.c: pinned threads that start together. SPDX-License-Identifier: MIT */
#include "probe/crew.h"

#include "core/clock.h"
#include "records/steady.h"
#include "probe/waited.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct crew {
    const struct gr_crew_work *work;
    int64_t ns;
    int threads;
    atomic_int ready; /* the number of threads that are warm; all start when all are */
    atomic_bool off;  /* a thread could not be created */
};

struct member {
    struct crew *crew;
    pthread_t thread;
    int index, cpu; /* cpu -1: not pinned */
    double rate;
    bool disturbed;
};

/* The CPUs that the process may use, read once: later calls would see the affinity of a thread
 * that is pinned itself. */
static cpu_set_t allowed;
static pthread_once_t allowed_once = PTHREAD_ONCE_INIT;

static void read_allowed(void)
{
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
}

static void pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu >= 0) {
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
}

static void *serve(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    const struct gr_crew_work *work = crew->work;
    pin(member->cpu);
    double done = work->step(work->context, member->index);
    atomic_fetch_add(&crew->ready, 1);
    while (atomic_load(&crew->ready) < crew->threads && !atomic_load(&crew->off))
        sched_yield();
    const struct gr_waited before = gr_waited_own();
    int64_t start = gr_now_ns(), now = start;
    for (done = 0; now - start < crew->ns && !atomic_load(&crew->off); now = gr_now_ns())
        done += work->step(work->context, member->index);
    member->rate = now > start ? done / (double)(now - start) : 0;
    member->disturbed = (double)gr_waited_between_ns(before, gr_waited_own()) >
                        GR_DISTURBED_ABOVE * (double)(now - start);
    return NULL;
}

/* The caller stays on the CPU it is on; the others get the next ones that the process may use. */
static void choose_cpus(struct member *members, int threads)
{
    pthread_once(&allowed_once, read_allowed);
    int cpu = sched_getcpu(), count = CPU_COUNT(&allowed);
    for (int i = 0; i < threads; i++) {
        members[i].cpu = threads <= count ? cpu : -1;
        if (threads <= count)
            do
                cpu = (cpu + 1) % CPU_SETSIZE;
            while (!CPU_ISSET(cpu, &allowed));
    }
}

double gr_crew_rate(const struct gr_crew_work *work, int threads, int64_t ns, bool *disturbed)
{
    /* With more threads than CPUs, threads take turns, and the sum of their work in their own time
     * is not a rate. */
    pthread_once(&allowed_once, read_allowed);
    int cpus = CPU_COUNT(&allowed);
    threads = cpus > 0 && threads > cpus ? cpus : threads;
    struct crew crew = {.work = work, .ns = ns, .threads = threads};
    struct member *members = calloc((size_t)threads, sizeof *members);
    if (!members)
        return 0;
    cpu_set_t before;
    bool restore = pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0;
    choose_cpus(members, threads);
    int made = 1;
    for (int i = 0; i < threads; i++) {
        members[i].crew = &crew;
        members[i].index = i;
    }
    while (made < threads &&
           pthread_create(&members[made].thread, NULL, serve, &members[made]) == 0)
        made++;
    if (made < threads)
        atomic_store(&crew.off, true);
    serve(&members[0]);
    double rate = 0;
    bool any_disturbed = false;
    for (int i = 0; i < made; i++) {
        if (i > 0)
            pthread_join(members[i].thread, NULL);
        rate += members[i].rate;
        any_disturbed |= members[i].disturbed;
    }
    if (disturbed)
        *disturbed = any_disturbed;
    if (restore)
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    free(members);
    return made == threads ? rate : 0;
}
