/* idle_threads.c: waits for spinning threads to sleep. SPDX-License-Identifier: MIT */
#include "measure/idle_threads.h"

#include "core/clock.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the thread running or runnable? The CPU clocks of threads cannot be used, because the
 * kernel updates those of running threads only at its timer ticks. */
static bool runs(const char *tid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[length] = 0;
    const char *name_end =
        strrchr(line, ')'); /* the state comes after the name, which may contain any characters */
    return name_end && name_end[1] && name_end[2] == 'R';
}

static bool others_run(void)
{
    DIR *tasks = opendir("/proc/self/task");
    bool any = false;
    if (!tasks)
        return false;
    for (struct dirent *entry; !any && (entry = readdir(tasks)) != NULL;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != gettid())
            any = runs(entry->d_name);
    closedir(tasks);
    return any;
}

/* OpenBLAS's threads spin for 2^28 ticks of the time stamp counter: 103 ms at 2.6 GHz. */
static const int64_t patience_ns = 250000000;

void gr_wait_for_idle_threads(void)
{
    int64_t give_up_ns = gr_now_ns() + patience_ns;
    while (others_run() && gr_now_ns() < give_up_ns)
        ; /* busy-wait: if this thread slept, the clock of its core would drop before the sample */
}
