/* waited.c: the time that threads spend on the run queue, as Linux counts it.
 * SPDX-License-Identifier: MIT */
#include "probe/waited.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The file has "RUNNING WAITED TURNS", the first two in nanoseconds. It is read without stdio,
 * whose buffer would evict cache lines just before a sample. */
static struct gr_waited read_file(const char *path)
{
    char text[96], *end;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (length <= 0)
        return (struct gr_waited){-1, 0};
    text[length] = 0;
    (void)strtoull(text, &end, 10);
    const int64_t ns = (int64_t)strtoull(end, &end, 10);
    return (struct gr_waited){ns, (int64_t)strtoull(end, NULL, 10)};
}

struct gr_waited gr_waited_own(void)
{
    return read_file("/proc/thread-self/schedstat");
}

struct gr_waited gr_waited_all(void)
{
    struct gr_waited sum = gr_waited_own();
    DIR *tasks = sum.ns >= 0 ? opendir("/proc/self/task") : NULL;
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;) {
        char path[64];
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", entry->d_name);
        const struct gr_waited one = read_file(path);
        sum.ns += one.ns > 0 ? one.ns : 0; /* the thread may have ended in the meantime */
        sum.turns += one.turns;
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

int64_t gr_waited_between_ns(struct gr_waited before, struct gr_waited after)
{
    const int64_t waking_ns = 50000;
    if (before.ns < 0 || after.ns < 0)
        return -1;
    const int64_t lost_ns = after.ns - before.ns - waking_ns * (after.turns - before.turns);
    return lost_ns > 0 ? lost_ns : 0;
}
