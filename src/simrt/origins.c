/* origins.c: maps the copies of an access to one code. A compiler copies an access where it unrolls
 * a loop or inlines a function; the copies have the same line and column, and are one access of the
 * source. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <stdlib.h>

struct entry {
    const struct gr_sim_line *line;
    int row;
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->line->file != y->line->file)
        return x->line->file < y->line->file ? -1 : 1;
    if (x->line->line != y->line->line)
        return x->line->line < y->line->line ? -1 : 1;
    if (x->line->column != y->line->column)
        return x->line->column < y->line->column ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool is_same(const struct entry *x, const struct entry *y)
{
    return x->line->file == y->line->file && x->line->line == y->line->line &&
           x->line->column == y->line->column;
}

bool gr_origins_open(struct gr_run *run)
{
    size_t rows = (size_t)run->job->line_count, count = 0;
    struct entry *entries = malloc((rows + 1) * sizeof *entries);
    run->origins = calloc(rows + 1, sizeof *run->origins);
    bool whole = entries && run->origins;
    for (size_t i = 0; i < rows && whole; i++) {
        /* If several rows have one address, the last row is valid. */
        bool holds = i + 1 == rows || run->lines[i + 1].address != run->lines[i].address;
        if (holds && run->lines[i].line)
            entries[count++] = (struct entry){&run->lines[i], (int)i};
    }
    if (whole)
        qsort(entries, count, sizeof *entries, by_place);
    for (size_t i = 0, first = 0; i < count && whole; i++) {
        if (!is_same(&entries[first], &entries[i]))
            first = i;
        run->origins[entries[i].row] = (uint32_t)entries[first].line->address + 1;
    }
    free(entries);
    return whole;
}

void gr_origins_close(struct gr_run *run)
{
    free(run->origins);
    run->origins = NULL;
}

uint32_t gr_origin_of(const struct gr_run *run, uint32_t code)
{
    const struct gr_sim_line *line = run->origins ? gr_line_find(run, code) : NULL;
    uint32_t place = line ? run->origins[line - run->lines] : 0;
    return place ? place : code;
}
