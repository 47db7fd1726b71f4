/* sums.c: summarizes a sweep. SPDX-License-Identifier: MIT */
#include "records/sums.h"

#include "records/steady.h"

#include <math.h>

bool gr_row_loses(const struct gr_row *row)
{
    return row->speedup.n > 0 && row->speedup.hi < GR_LOSES_BELOW && !gr_row_is_unsteady(row);
}

static bool belongs(const struct gr_row *row, const struct gr_sum *sum)
{
    return !row->is_peer && row->verdict == GR_RIGHT && row->speedup.n > 0 &&
           row->speedup.median > 0 &&
           (sum->all_types || gr_types_equal(row->problem.types, sum->types)) &&
           (sum->threads == 0 || row->threads == sum->threads);
}

bool gr_row_counts_in(const struct gr_row *row, const struct gr_sum *sum)
{
    return belongs(row, sum) && !gr_row_is_unsteady(row);
}

/* Appends the summary of the rows that `key` selects, unless there is one already or there are
 * no rows. */
static void append(const struct gr_run *run, struct gr_sum key, struct gr_sums *sums)
{
    for (int i = 0; i < sums->count; i++) {
        const struct gr_sum *s = &sums->items[i];
        if (s->all_types == key.all_types && s->threads == key.threads &&
            gr_types_equal(s->types, key.types))
            return;
    }
    double logs = 0;
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        key.unsteady += belongs(row, &key) && gr_row_is_unsteady(row);
        if (!gr_row_counts_in(row, &key))
            continue;
        key.rows++;
        key.losing += gr_row_loses(row);
        logs += log(row->speedup.median);
    }
    key.ratio = key.rows ? exp(logs / key.rows) : 0;
    if ((key.rows || key.unsteady) && sums->count < GR_MOST_SUMS)
        sums->items[sums->count++] = key;
}

/* The summaries of one type: one for each number of threads, and one for all if there are
 * several. */
static void append_type(const struct gr_run *run, struct gr_types types, struct gr_sums *sums)
{
    int first = 0;
    bool several = false;
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        if (!gr_types_equal(row->problem.types, types))
            continue;
        append(run, (struct gr_sum){.types = types, .threads = row->threads}, sums);
        several |= first && first != row->threads;
        first = row->threads;
    }
    if (several)
        append(run, (struct gr_sum){.types = types}, sums);
}

void gr_sums_make(const struct gr_run *run, struct gr_sums *sums)
{
    bool several = false;
    sums->count = 0;
    for (int i = 0; i < run->row_count; i++) {
        struct gr_types types = run->rows[i].problem.types;
        several |= !gr_types_equal(types, run->rows[0].problem.types);
        bool met = false;
        for (int j = 0; j < i && !met; j++)
            met = gr_types_equal(types, run->rows[j].problem.types);
        if (!met)
            append_type(run, types, sums);
    }
    if (several)
        append(run, (struct gr_sum){.all_types = true}, sums);
}
