/* placement.c: pins the worker to cores. SPDX-License-Identifier: MIT */
#include "measure/placement.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Is `cpu` the first hardware thread of its core? */
static bool leads_its_core(int cpu)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "r");
    int first = cpu;
    if (f) {
        if (fscanf(f, "%d", &first) != 1)
            first = cpu;
        fclose(f);
    }
    return first == cpu;
}

/* Adds cores of `allowed` to `chosen`, from the highest number down, because the lowest serve
 * most interrupts. */
static int add_cores(const cpu_set_t *allowed, cpu_set_t *chosen, int have, int wanted,
                     bool leaders)
{
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && have < wanted; cpu--) {
        if (!CPU_ISSET(cpu, allowed) || CPU_ISSET(cpu, chosen) || leads_its_core(cpu) != leaders)
            continue;
        CPU_SET(cpu, chosen);
        have++;
    }
    return have;
}

void gr_placement_pin(int threads)
{
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) <= threads)
        return;
    int have = add_cores(&allowed, &chosen, 0, threads, true);
    add_cores(&allowed, &chosen, have, threads, false);
    sched_setaffinity(0, sizeof chosen, &chosen);
}
