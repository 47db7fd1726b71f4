/* exec_lines.c: sorts the tables of a ledger for the report. SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *x, const void *y)
{
    const struct gr_exec_line *a = x, *b = y;
    return memcmp(a->key, b->key, sizeof *a->key);
}

/* If the times are equal, calls and then names decide, so that the order is always the same. */
static int by_time(const void *x, const void *y)
{
    const struct gr_exec_line *a = x, *b = y;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? 1 : -1;
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    return by_key(x, y);
}

static int add_up(struct gr_exec_line *lines, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (kept && by_key(&lines[kept - 1], &lines[i]) == 0) {
            lines[kept - 1].calls += lines[i].calls;
            lines[kept - 1].flop += lines[i].flop;
            lines[kept - 1].time_ns += lines[i].time_ns;
            lines[kept - 1].timed += lines[i].timed;
            lines[kept - 1].gpu_flop += lines[i].gpu_flop;
            lines[kept - 1].gpu_ns += lines[i].gpu_ns;
        } else {
            lines[kept++] = lines[i];
        }
    }
    return kept;
}

struct gr_exec_line *gr_exec_lines(const struct gr_ledger_entry *table, int size, int *count)
{
    struct gr_exec_line *lines = calloc((size_t)size, sizeof *lines);
    *count = 0;
    if (!lines)
        return NULL;
    for (int i = 0; i < size; i++)
        if (gr_ledger_ready(&table[i].state))
            lines[(*count)++] = (struct gr_exec_line){.key = &table[i].key,
                                                      .calls = table[i].calls,
                                                      .flop = table[i].flop,
                                                      .time_ns = table[i].time_ns,
                                                      .timed = table[i].timed,
                                                      .gpu_flop = table[i].gpu_flop,
                                                      .gpu_ns = table[i].gpu_ns};
    qsort(lines, (size_t)*count, sizeof *lines, by_key);
    *count = add_up(lines, *count);
    qsort(lines, (size_t)*count, sizeof *lines, by_time);
    return lines;
}

double gr_exec_rate(const struct gr_exec_line *line)
{
    return line->time_ns ? (double)line->flop / (double)line->time_ns : 0;
}

uint64_t gr_exec_calls(const struct gr_ledger *ledger)
{
    uint64_t calls = 0;
    for (int i = 0; i < GR_LEDGER_ROUTINES; i++)
        if (gr_ledger_ready(&ledger->routines[i].state))
            calls += ledger->routines[i].calls;
    return calls;
}
