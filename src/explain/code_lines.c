/* code_lines.c: groups the instructions of a trace by their place in the source.
 * SPDX-License-Identifier: MIT */
#include "explain/code_lines.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const struct gr_trace_instruction *x = *(const struct gr_trace_instruction *const *)a;
    const struct gr_trace_instruction *y = *(const struct gr_trace_instruction *const *)b;
    if ((x->line <= 0) != (y->line <= 0))
        return x->line <= 0 ? 1 : -1;
    const int files = x->line > 0 ? strcmp(x->file, y->file) : 0;
    if (files)
        return files;
    if (x->line > 0 && x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool is_same_line(const struct gr_trace_instruction *x, const struct gr_trace_instruction *y)
{
    if (x->line <= 0 || y->line <= 0)
        return x->line <= 0 && y->line <= 0;
    return x->line == y->line && strcmp(x->file, y->file) == 0;
}

static void add(struct gr_code_lines *lines, const struct gr_trace_instruction *at)
{
    const int64_t executed = at->executed.warps;
    struct gr_code_line *line = &lines->items[lines->count - 1];
    line->instructions++;
    line->never += executed == 0;
    line->executed += executed;
    lines->executed += executed;
    if (lines->most_executed < executed)
        lines->most_executed = executed;
    if (lines->most_of_line < line->executed)
        lines->most_of_line = line->executed;
}

bool gr_code_lines_make(const struct gr_trace *trace, struct gr_code_lines *lines)
{
    const size_t count = (size_t)trace->instruction_count;
    *lines = (struct gr_code_lines){0};
    if (count == 0)
        return true;
    const struct gr_trace_instruction **sorted = malloc(count * sizeof *sorted);
    lines->items = calloc(count, sizeof *lines->items);
    lines->of = calloc(count, sizeof *lines->of);
    const bool made = sorted && lines->items && lines->of;
    for (size_t i = 0; made && i < count; i++)
        sorted[i] = &trace->instructions[i];
    if (made)
        qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 0; made && i < count; i++) {
        if (i == 0 || !is_same_line(sorted[i - 1], sorted[i]))
            lines->items[lines->count++].first = sorted[i];
        add(lines, sorted[i]);
        lines->of[sorted[i] - trace->instructions] = lines->count - 1;
    }
    free(sorted);
    return made;
}

void gr_code_lines_free(struct gr_code_lines *lines)
{
    free(lines->items);
    free(lines->of);
    *lines = (struct gr_code_lines){0};
}

double gr_code_share(const struct gr_code_lines *lines, int64_t executed)
{
    return lines->executed > 0 ? (double)executed / (double)lines->executed : 0;
}

int64_t gr_code_requests(const struct gr_trace_instruction *at)
{
    return at->requests + at->executed.local_requests;
}

int64_t gr_code_sectors(const struct gr_trace_instruction *at)
{
    return at->sectors + at->executed.local_sectors;
}
