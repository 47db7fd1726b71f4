/* threads.c: the number of threads that this process may use, and that it uses by default.
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/quota.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A larger number in an environment variable is assumed to be a typing error. */
enum { THREADS_MAX = 1024 };

static int cores_of(int64_t quota_us, int64_t period_us)
{
    if (quota_us <= 0 || period_us <= 0)
        return 0;
    int64_t cores = (quota_us + period_us - 1) / period_us;
    return cores > INT_MAX ? INT_MAX : (int)cores;
}

/* Buffers for paths and lines. They are allocated, because the caller's stack may be small. */
struct texts {
    char line[PATH_MAX], mount[PATH_MAX], group[PATH_MAX], file[PATH_MAX];
};

/* Reads up to two numbers, and returns how many were read. "max", which means no limit, is not a
 * number. */
static int read_numbers(struct texts *texts, const char *file, int64_t *first, int64_t *second)
{
    const size_t room = sizeof texts->file;
    if ((size_t)snprintf(texts->file, room, "%s/%s", texts->group, file) >= room)
        return 0;
    FILE *f = fopen(texts->file, "r");
    if (!f)
        return 0;
    int n = fscanf(f, "%" SCNd64 " %" SCNd64, first, second);
    fclose(f);
    return n < 0 ? 0 : n;
}

/* The limit of one control group, from the files of cgroup version 2 or 1; 0 if there is none. */
static int quota_at(struct texts *texts)
{
    int64_t quota, period, unused;
    if (read_numbers(texts, "cpu.max", &quota, &period) == 2)
        return cores_of(quota, period);
    if (read_numbers(texts, "cpu.cfs_quota_us", &quota, &unused) >= 1 &&
        read_numbers(texts, "cpu.cfs_period_us", &period, &unused) >= 1)
        return cores_of(quota, period);
    return 0;
}

/* A group is limited by the smallest of its own limit and those of the groups above it. In a
 * container, the path in the membership file may not exist below the mount point; then only the
 * files at the mount point itself are found. */
static int quota_up_from(struct texts *texts, const char *group)
{
    char *const path = texts->group;
    const size_t room = sizeof texts->group;
    if ((size_t)snprintf(path, room, "%s%s", texts->mount, group) >= room)
        return 0;
    int tightest = 0;
    for (size_t top = strlen(texts->mount);;) {
        int quota = quota_at(texts);
        if (quota && (!tightest || quota < tightest))
            tightest = quota;
        char *slash = strrchr(path, '/');
        if (!slash || (size_t)(slash - path) < top)
            return tightest;
        *slash = 0;
    }
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

/* The limit from a line of the membership file, "hierarchy:controllers:/group". The list of
 * controllers is empty in cgroup version 2. */
static int quota_of_line(struct texts *texts, const char *root)
{
    char *const line = texts->line;
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return 0;
    *group++ = 0;
    controllers++;
    const size_t room = sizeof texts->mount;
    const char *below = !*controllers ? "" : has_word(controllers, "cpu") ? "/cpu" : NULL;
    if (!below || (size_t)snprintf(texts->mount, room, "%s%s", root, below) >= room)
        return 0;
    return quota_up_from(texts, group);
}

int gr_cpu_quota(const char *membership, const char *root)
{
    struct texts *texts = malloc(sizeof *texts);
    FILE *f = texts ? fopen(membership, "r") : NULL;
    int tightest = 0;
    while (f && fgets(texts->line, sizeof texts->line, f)) {
        int quota = quota_of_line(texts, root);
        if (quota && (!tightest || quota < tightest))
            tightest = quota;
    }
    if (f)
        fclose(f);
    free(texts);
    return tightest;
}

/* If the affinity mask has more CPUs than the 1024 of cpu_set_t, the call fails, and the number of
 * CPUs of the machine is used. */
static int cores_by_affinity(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int gr_cpu_threads_allowed(void)
{
    int cores = cores_by_affinity();
    int quota = gr_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota && quota < cores ? quota : cores;
}

/* The quota is read once. The affinity mask is read again each time that more threads are wanted
 * than were found so far, because threads of one process may have different masks. */
int gr_cpu_threads_capped(int wanted)
{
    static atomic_int most, quota_known;
    int known = atomic_load_explicit(&most, memory_order_relaxed);
    if (wanted <= known)
        return wanted;
    int quota = atomic_load_explicit(&quota_known, memory_order_relaxed);
    if (!quota) {
        quota = gr_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
        quota = quota ? quota : INT_MAX;
        atomic_store_explicit(&quota_known, quota, memory_order_relaxed);
    }
    const int cores = cores_by_affinity(), now = quota < cores ? quota : cores;
    if (now > known)
        atomic_store_explicit(&most, now, memory_order_relaxed);
    known = now > known ? now : known;
    return wanted < known ? wanted : known;
}

/* OMP_NUM_THREADS may be a list with one number for each level of nested parallelism. Only the
 * first one is used. */
static int threads_from(const char *variable)
{
    const char *text = getenv(variable);
    if (!text)
        return 0;
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || (*end && *end != ',') || n < 1)
        return 0;
    return n > THREADS_MAX ? THREADS_MAX : (int)n;
}

/* The number is determined once, because reading files takes longer than a small product. */
int gr_cpu_threads_default(void)
{
    static atomic_int found;
    int n = atomic_load_explicit(&found, memory_order_relaxed);
    if (n)
        return n;
    n = threads_from("GRADUS_NUM_THREADS");
    if (!n)
        n = threads_from("OMP_NUM_THREADS");
    if (!n)
        n = gr_cpu_threads_allowed();
    atomic_store_explicit(&found, n, memory_order_relaxed);
    return n;
}
