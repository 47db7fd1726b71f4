/* ceilings.c: the machine's ceilings, measured once and kept in the user's cache.
 * SPDX-License-Identifier: MIT */
#include "probe/probe.h"

#include "base/cache.h"
#include "base/cpuinfo.h"
#include "core/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "cpu/cpu.h"
#include "probe/ceilings.h"
#include "probe/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, MOST = 4 + 2 * LEVELS };
enum { SMALL_BYTES = 1 << 22 }; /* up to this size, preparing the memory takes hardly any time */

struct plan {
    struct gr_ceiling *ceiling; /* where the result goes */
    bool bandwidth, copy;
    enum gr_dtype type;
    int threads;
    int64_t bytes;
};

struct plans {
    struct plan items[MOST];
    struct gr_ceiling ceilings[MOST];
    int count;
};

static struct plan *add(struct plans *plans, const char *unit)
{
    int i = plans->count++;
    plans->items[i].ceiling = &plans->ceilings[i];
    snprintf(plans->ceilings[i].unit, sizeof plans->ceilings[i].unit, "%s", unit);
    return &plans->items[i];
}

static void add_fma(struct plans *plans, enum gr_dtype type, int threads)
{
    struct plan *plan = add(plans, "GFLOP/s");
    plan->type = type;
    plan->threads = threads;
    snprintf(plan->ceiling->name, sizeof plan->ceiling->name, "fma.%s.%d", gr_dtype_name(type),
             threads);
}

/* Bytes of a working set that fits into level 1, 2, 3 or (4) memory when `threads` threads share
 * it; 0: there is no such level. L1 and L2 belong to one core each. */
static int64_t working_set(int level, int threads)
{
    const int64_t mb = 1 << 20, most = 256 * mb;
    int64_t l1 = gr_cpu_cache_bytes(1), l2 = gr_cpu_cache_bytes(2), l3 = gr_cpu_cache_bytes(3);
    if (level == 1)
        return l1 / 2 * threads;
    if (level == 2)
        return l2 / 2 * threads;
    if (level == 3)
        return l3 > 2 * l2 * threads ? (l3 / 4 > 2 * l2 * threads ? l3 / 4 : 2 * l2 * threads) : 0;
    int64_t last = l3 > l2 * threads ? l3 : l2 * threads;
    int64_t bytes = last > 0 ? 4 * last : 64 * mb;
    return bytes < most ? bytes : most;
}

static void make_plans(struct plans *plans, int threads)
{
    static const char *const levels[] = {"l1", "l2", "l3", "dram"};
    add_fma(plans, GR_F32, 1);
    add_fma(plans, GR_F64, 1);
    if (threads > 1) {
        add_fma(plans, GR_F32, threads);
        add_fma(plans, GR_F64, threads);
    }
    for (int copy = 0; copy < 2; copy++)
        for (int level = 1; level <= LEVELS; level++) {
            int64_t bytes = working_set(level, threads);
            if (bytes <= 0)
                continue;
            struct plan *plan = add(plans, "GB/s");
            plan->bandwidth = true;
            plan->copy = copy;
            plan->threads = threads;
            plan->bytes = bytes;
            snprintf(plan->ceiling->name, sizeof plan->ceiling->name, "%s.%s",
                     copy ? "copy" : "read", levels[level - 1]);
        }
}

/* The best of several bursts, spread over the whole measurement: a ceiling is what the machine can
 * do when nothing disturbs it, and disturbances come in bursts too. */
static double burst_of(const struct plan *p, int64_t ns, bool *disturbed)
{
    *disturbed = false;
    return p->bandwidth ? gr_probe_bandwidth(p->copy, p->bytes, p->threads, ns, disturbed)
                        : gr_probe_fma(p->type, p->threads, ns, disturbed);
}

/* The result of a disturbed burst is a lower bound of the ceiling; that of an undisturbed one is
 * the ceiling. */
static void add_burst(const struct plan *p, int64_t ns)
{
    bool disturbed;
    struct gr_ceiling *c = p->ceiling;
    const double rate = burst_of(p, ns, &disturbed);
    if (rate <= 0)
        return;
    c->unsteady = disturbed && (c->value <= 0 || c->unsteady);
    c->value = rate > c->value ? rate : c->value;
}

/* Measures the ceilings that are not known, or are known from an unsteady burst only. */
static void measure_all(struct plans *plans, int bursts, int64_t burst_ns)
{
    bool wanted[MOST];
    for (int i = 0; i < plans->count; i++)
        wanted[i] = plans->ceilings[i].value <= 0 || plans->ceilings[i].unsteady;
    for (int burst = 0; burst < bursts; burst++)
        for (int i = 0; i < plans->count; i++)
            if (wanted[i])
                add_burst(&plans->items[i], burst_ns);
}

static bool all_steady(const struct plans *plans)
{
    for (int i = 0; i < plans->count; i++)
        if (plans->ceilings[i].unsteady)
            return false;
    return true;
}

/* The stored values may have been measured while the machine was busy. A short burst that is far
 * above a stored value shows that; one below it shows nothing, because the machine may be busy
 * now. */
static bool is_surpassed(const struct plans *plans)
{
    enum { TRIES = 2 };
    const int64_t burst_ns = 3000000;
    const double far_beyond = 1.25;
    bool ignored;
    for (int i = 0; i < TRIES * plans->count; i++) {
        const struct plan *p = &plans->items[i % plans->count];
        if ((!p->bandwidth || p->bytes <= SMALL_BYTES) &&
            burst_of(p, burst_ns, &ignored) > far_beyond * p->ceiling->value)
            return true;
    }
    return false;
}

/* One line that names the machine and the measuring program: values of another machine are not
 * used. */
static char *machine_key(int threads)
{
    char *cpu = gr_machine_cpu(), *caches = gr_machine_caches();
    char *key = gr_printf("gradus %s; %s; %s; %016" PRIx64 "; isa %s; cores %d; threads %d",
                          gradus_version(), cpu ? cpu : "", caches ? caches : "", gr_cpuinfo_hash(),
                          gr_cpu_isa(), gr_cpu_threads_allowed(), threads);
    free(cpu);
    free(caches);
    return key;
}

static char *cache_path(const char *key)
{
    char *directory = NULL;
    struct gradus_error ignored = {0};
    if (gr_cache_dir("ceilings", &directory, &ignored) != GRADUS_OK) {
        gradus_error_clear(&ignored);
        return NULL;
    }
    char *path = gr_printf("%s/%016" PRIx64 ".txt", directory, gr_hash(key, strlen(key), 0));
    free(directory);
    return path;
}

enum gradus_status gr_probe_ceilings(enum gr_ceilings_from from, int threads,
                                     struct gr_ceiling **ceilings, int *count,
                                     struct gradus_error *error)
{
    *ceilings = NULL;
    *count = 0;
    if (threads < 1)
        return gr_fail(error, GRADUS_INVALID, "ceilings are of 1 or more threads, not %d", threads);
    struct plans plans = {0};
    make_plans(&plans, threads);
    struct gr_ceiling *copy = calloc((size_t)plans.count, sizeof *copy);
    char *key = machine_key(threads), *path = key ? cache_path(key) : NULL;
    bool kept = from != GR_CEILINGS_MEASURED && path &&
                gr_ceilings_read(path, key, plans.ceilings, plans.count);
    const bool checked = from == GR_CEILINGS_CHECKED && kept,
               again = !kept || (checked && is_surpassed(&plans));
    for (int i = 0; again && i < plans.count; i++) { /* a damaged file may have set some of them */
        plans.ceilings[i].value = 0;
        plans.ceilings[i].unsteady = false;
    }
    if (again || (checked && !all_steady(&plans))) {
        if (again)
            measure_all(&plans, 5, 25000000);
        else
            measure_all(&plans, 2, 5000000); /* short bursts find an undisturbed moment sooner */
        if (path)
            gr_ceilings_write(path, key, plans.ceilings, plans.count);
    }
    free(key);
    free(path);
    if (!copy)
        return gr_fail_memory(error, "the ceilings", sizeof *copy * (size_t)plans.count);
    memcpy(copy, plans.ceilings, sizeof *copy * (size_t)plans.count);
    *ceilings = copy;
    *count = plans.count;
    return GRADUS_OK;
}
