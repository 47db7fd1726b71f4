/* sweep_scaling.c: how a few products scale with the number of threads, for the library and for
 * others. SPDX-License-Identifier: MIT */
#include "report/sweep_page.h"

#include "records/steady.h"

#include "report/words.h"

#include <string.h>

enum { FEW = 4 }; /* a run with more problems is not about scaling */

static bool same_problem(const struct gr_row *x, const struct gr_row *y)
{
    const struct gr_problem *p = &x->problem, *q = &y->problem;
    return p->m == q->m && p->n == q->n && p->k == q->k && p->trans_a == q->trans_a &&
           p->trans_b == q->trans_b && gr_types_equal(p->types, q->types);
}

static bool is_first(const struct gr_run *run, int i)
{
    for (int j = 0; j < i; j++)
        if (same_problem(&run->rows[j], &run->rows[i]))
            return false;
    return true;
}

/* Returns the rate of a library (null: ours); 0 if it is unknown, or the row is unsteady. */
static double rate_of(const struct gr_row *row, const char *competitor)
{
    if (gr_row_is_unsteady(row))
        return 0;
    if (!competitor)
        return gr_row_has_speed(row) ? row->gflops : 0;
    for (int i = 0; i < row->competitor_count; i++)
        if (strcmp(row->competitors[i].peer.name, competitor) == 0)
            return row->competitors[i].peer.gflops;
    return 0;
}

/* Appends a line such as "libgradus: 147 on 1 thread, 290 (1.97x) on 2". The ratios refer to the
 * first number. */
static void add_line(const struct gr_run *run, const struct gr_row *first, const char *competitor,
                     bool markdown, struct gr_str *out)
{
    double one = rate_of(first, competitor);
    if (one <= 0)
        return;
    gr_str_printf(out, "%s%s:", markdown ? "- " : "  ", competitor ? competitor : "libgradus");
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        char rate[GR_WORD];
        gr_word_rate(rate_of(row, competitor), rate);
        if (!same_problem(row, first) || !*rate)
            continue;
        gr_str_printf(out, "%s %s on %d", row == first ? "" : ",", rate, row->threads);
        if (row != first)
            gr_str_printf(out, " (%.2fx)", rate_of(row, competitor) / one);
    }
    gr_str_add(out, "\n");
}

void gr_sweep_scaling(const struct gr_run *run, bool markdown, struct gr_str *out)
{
    int problems = 0, all = 0;
    for (int i = 0; i < run->row_count; i++) {
        problems += is_first(run, i);
        all += gr_row_has_speed(&run->rows[i]);
    }
    if (problems > FEW || all <= problems)
        return;
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        char size[GR_WORD];
        if (!is_first(run, i))
            continue;
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        gr_str_printf(out, "%sscaling of %s %s: GFLOP/s on so many threads%s\n\n",
                      markdown ? "### " : "", gr_types_word(row->problem.types), size,
                      gr_row_callers(row) > 1 ? " of each caller" : "");
        add_line(run, row, NULL, markdown, out);
        for (int j = 0; j < row->competitor_count; j++)
            add_line(run, row, row->competitors[j].peer.name, markdown, out);
        gr_str_add(out, "\n");
    }
}
