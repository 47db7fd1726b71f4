/* sums.c: summarizes a sweep. SPDX-License-Identifier: MIT */
#include "records/sums.h"

#include "records/steady.h"

#include <math.h>
#include <stdlib.h>

bool gr_row_loses(const struct gr_row *row)
{
    return row->speedup.n > 0 && row->speedup.hi < GR_LOSES_BELOW && !gr_row_is_unsteady(row);
}

static enum gr_work_class work_of(const struct gr_problem *p)
{
    const double flop = 2.0 * (double)p->m * (double)p->n * (double)p->k;
    return flop < 20e3  ? GR_WORK_20_KFLOP
           : flop < 1e6 ? GR_WORK_1_MFLOP
           : flop < 1e8 ? GR_WORK_100_MFLOP
                        : GR_WORK_LARGER;
}

const char *gr_work_words(enum gr_work_class work)
{
    static const char *const words[GR_WORKS] = {"", "under 20 kFLOP", "20 kFLOP to 1 MFLOP",
                                                "1 to 100 MFLOP", "from 100 MFLOP"};
    return words[work];
}

bool gr_sum_is_like(const struct gr_sum *x, const struct gr_sum *y)
{
    return x->all_types == y->all_types && x->threads == y->threads &&
           gr_types_equal(x->types, y->types);
}

static bool belongs(const struct gr_row *row, const struct gr_sum *sum)
{
    return !row->is_peer && row->verdict == GR_RIGHT && row->speedup.n > 0 &&
           row->speedup.median > 0 &&
           (sum->all_types || gr_types_equal(row->problem.types, sum->types)) &&
           (sum->threads == 0 || row->threads == sum->threads) &&
           (sum->work == GR_ANY_WORK || work_of(&row->problem) == sum->work);
}

bool gr_row_counts_in(const struct gr_row *row, const struct gr_sum *sum)
{
    return belongs(row, sum) && !gr_row_is_unsteady(row);
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Summarizes the rows that the sum selects. `ratios` has room for one of each row. */
static void add_up(const struct gr_run *run, struct gr_sum *sum, double *ratios)
{
    double logs = 0;
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        sum->unsteady += belongs(row, sum) && gr_row_is_unsteady(row);
        if (!gr_row_counts_in(row, sum))
            continue;
        ratios[sum->rows++] = row->speedup.median;
        sum->below += row->speedup.median < GR_LOSES_BELOW;
        sum->losing += gr_row_loses(row);
        logs += log(row->speedup.median);
    }
    if (sum->rows == 0)
        return;
    qsort(ratios, (size_t)sum->rows, sizeof *ratios, by_value);
    sum->ratio = exp(logs / sum->rows);
    sum->lowest = ratios[0];
    sum->twentieth = ratios[sum->rows / 20];
    sum->tenth = ratios[sum->rows / 10];
}

/* Appends the summary of the rows that `key` selects, unless there is one already or there are
 * no rows. */
static void append(const struct gr_run *run, struct gr_sum key, struct gr_sums *sums)
{
    for (int i = 0; i < sums->count; i++)
        if (sums->items[i].work == key.work && gr_sum_is_like(&sums->items[i], &key))
            return;
    key.callers = gr_row_callers(run->rows);
    double *ratios = malloc(((size_t)run->row_count + 1) * sizeof *ratios);
    if (ratios)
        add_up(run, &key, ratios);
    free(ratios);
    if ((key.rows || key.unsteady) && sums->count < GR_MOST_SUMS)
        sums->items[sums->count++] = key;
}

/* The summaries of one type: one for each number of threads, and one for all if there are
 * several. */
static void append_type(const struct gr_run *run, struct gr_types types, struct gr_sums *sums)
{
    int threads = -1; /* of the previous row, whose sums exist already */
    bool several = false;
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        if (!gr_types_equal(row->problem.types, types) || row->threads == threads)
            continue;
        several |= threads >= 0;
        threads = row->threads;
        struct gr_sum key = {.types = types, .threads = threads};
        for (key.work = GR_ANY_WORK + 1; run->by_work && key.work < GR_WORKS; key.work++)
            append(run, key, sums);
        key.work = GR_ANY_WORK;
        append(run, key, sums);
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
