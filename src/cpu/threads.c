/* threads.c: how many threads this process may and should use. SPDX-License-Identifier: MIT */
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

/* More than any machine has; a larger wish is a typing error. */
enum { THREADS_MAX = 1024 };

static int cores_of(int64_t quota_us, int64_t period_us)
{
    if (quota_us <= 0 || period_us <= 0)
        return 0;
    int64_t cores = (quota_us + period_us - 1) / period_us;
    return cores > INT_MAX ? INT_MAX : (int)cores;
}

/* Reads up to two numbers; "max" is no limit. Returns how many were read. */
static int read_numbers(const char *directory, const char *file, int64_t *first, int64_t *second)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, file) >= sizeof path)
        return 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    int n = fscanf(f, "%" SCNd64 " %" SCNd64, first, second);
    fclose(f);
    return n < 0 ? 0 : n;
}

/* One group's own limit, whichever version its files are of. */
static int quota_at(const char *directory)
{
    int64_t quota, period, unused;
    if (read_numbers(directory, "cpu.max", &quota, &period) == 2)
        return cores_of(quota, period);
    if (read_numbers(directory, "cpu.cfs_quota_us", &quota, &unused) >= 1 &&
        read_numbers(directory, "cpu.cfs_period_us", &period, &unused) >= 1)
        return cores_of(quota, period);
    return 0;
}

/* A group can have no more than each group above it. Inside a container the path of the membership
 * file may not exist below the mount; the walk then finds nothing until it reaches the mount
 * itself. */
static int quota_up_from(const char *mount, const char *group)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s%s", mount, group) >= sizeof path)
        return 0;
    int tightest = 0;
    for (size_t top = strlen(mount);;) {
        int quota = quota_at(path);
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

/* A line is "hierarchy:controllers:/group"; version 2 has no controllers. */
int gr_cpu_quota(const char *membership, const char *root)
{
    FILE *f = fopen(membership, "r");
    if (!f)
        return 0;
    char line[PATH_MAX], mount[PATH_MAX];
    int tightest = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        const char *below = !*controllers ? "" : has_word(controllers, "cpu") ? "/cpu" : NULL;
        if (!below || (size_t)snprintf(mount, sizeof mount, "%s%s", root, below) >= sizeof mount)
            continue;
        int quota = quota_up_from(mount, group);
        if (quota && (!tightest || quota < tightest))
            tightest = quota;
    }
    fclose(f);
    return tightest;
}

/* A mask larger than cpu_set_t's 1024 CPUs makes the call fail; what the machine has is then used.
 */
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

/* OMP_NUM_THREADS may be a list, one number for each level of nesting: the first counts. */
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

/* Found once: it reads files, and a small product takes less time than that. */
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
