/* sweep_page.c: a sweep with many libraries: a line for each GEMM, and a summary.
 * SPDX-License-Identifier: MIT */
#include "report/sweep_page.h"

#include "records/steady.h"

#include "report/group.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, TRANS, CACHE, RATE, PEAK, FASTEST, ITS_RATE, RATIO, COMPETITORS };
enum { MOST_COMPETITORS = 8, COLUMNS = COMPETITORS + MOST_COMPETITORS, GAP = 2, WORST = 10 };

struct page {
    const struct gr_run *run;
    struct gr_str *out;
    bool markdown;
    const char *competitors[MOST_COMPETITORS]; /* the names; each has a column */
    int competitor_count;
    int width[COLUMNS]; /* 0: the column is not shown */
    int columns;
};

static void find_competitors(struct page *p)
{
    for (int i = 0; i < p->run->row_count; i++) {
        const struct gr_row *row = &p->run->rows[i];
        for (int j = 0; j < row->competitor_count; j++) {
            const char *name = row->competitors[j].peer.name;
            bool met = false;
            for (int k = 0; k < p->competitor_count; k++)
                met |= strcmp(p->competitors[k], name) == 0;
            if (!met && p->competitor_count < MOST_COMPETITORS)
                p->competitors[p->competitor_count++] = name;
        }
    }
}

static void competitor_cell(const struct page *p, const struct gr_row *row, int competitor,
                            char *cell)
{
    for (int i = 0; i < row->competitor_count; i++)
        if (strcmp(row->competitors[i].peer.name, p->competitors[competitor]) == 0)
            gr_word_ratio(&row->competitors[i].speedup, false, cell);
}

static void ratio_cell(const struct gr_row *row, char cell[GR_WORD])
{
    gr_word_ratio(&row->speedup, true, cell);
    if (gr_row_is_unsteady(row))
        snprintf(cell + strlen(cell), GR_WORD - strlen(cell), " unsteady");
}

/* Writes a cell of a row, or the heading of the column if the row is null. */
static void cell_of(const struct page *p, const struct gr_row *row, int column, char cell[GR_WORD])
{
    static const char *const heads[] = {"size",    "trans",        "cache",   "GFLOP/s",
                                        "of peak", "fastest peer", "GFLOP/s", "ratio"};
    cell[0] = 0;
    if (!row)
        snprintf(cell, GR_WORD, "%s",
                 column < COMPETITORS ? heads[column] : p->competitors[column - COMPETITORS]);
    else if (column == SIZE)
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, cell, GR_WORD);
    else if (column == TRANS)
        snprintf(cell, GR_WORD, "%s", gr_problem_trans(&row->problem));
    else if (!gr_row_has_speed(row))
        snprintf(cell, GR_WORD, "%s", column == RATE ? gr_verdict_name(row->verdict) : "");
    else if (column == CACHE)
        snprintf(cell, GR_WORD, "%s", row->cold ? "cold" : "warm");
    else if (column == RATE)
        gr_word_rate(row->gflops, cell);
    else if (column == PEAK)
        gr_word_peak(row, cell);
    else if (column == FASTEST)
        snprintf(cell, GR_WORD, "%s", row->peer.name);
    else if (column == ITS_RATE)
        gr_word_rate(row->peer.gflops, cell);
    else if (column == RATIO)
        ratio_cell(row, cell);
    else
        competitor_cell(p, row, column - COMPETITORS, cell);
}

static bool is_left(int column)
{
    return column == SIZE || column == TRANS || column == CACHE || column == FASTEST;
}

static int total_width(const struct page *p)
{
    int total = -GAP;
    for (int c = 0; c < p->columns; c++)
        total += p->width[c] ? p->width[c] + GAP : 0;
    return total;
}

/* Removes columns that do not fit: first those of the other libraries, then those that the ratio
 * makes redundant. */
static void fit(struct page *p, int terminal)
{
    static const int victims[] = {ITS_RATE, CACHE, FASTEST, TRANS};
    p->columns = COMPETITORS + p->competitor_count;
    for (int c = 0; c < p->columns; c++)
        for (int i = -1; i < p->run->row_count; i++) {
            char cell[GR_WORD];
            cell_of(p, i < 0 ? NULL : &p->run->rows[i], c, cell);
            int width = (int)strlen(cell);
            p->width[c] = width > p->width[c] ? width : p->width[c];
        }
    while (terminal && total_width(p) > terminal && p->columns > COMPETITORS)
        p->columns--;
    for (size_t i = 0; i < sizeof victims / sizeof *victims; i++)
        if (terminal && total_width(p) > terminal)
            p->width[victims[i]] = 0;
}

static void add_line(struct page *p, const struct gr_row *row)
{
    for (int c = 0; c < p->columns; c++) {
        char cell[GR_WORD];
        bool last = c == p->columns - 1;
        cell_of(p, row, c, cell);
        if (!p->width[c])
            continue;
        if (p->markdown)
            gr_str_printf(p->out, "| %s %s", cell, last ? "|" : "");
        else if (is_left(c))
            gr_str_printf(p->out, "%-*s%*s", p->width[c], cell, last ? 0 : GAP, "");
        else
            gr_str_printf(p->out, "%*s%*s", p->width[c], cell, last ? 0 : GAP, "");
    }
    while (!p->markdown && p->out->length && p->out->text[p->out->length - 1] == ' ')
        p->out->text[--p->out->length] = 0;
    gr_str_add(p->out, "\n");
    for (int c = 0; p->markdown && !row && c < p->columns; c++)
        gr_str_printf(p->out, "%s%s",
                      is_left(c) ? "|:--" : "|--:", c == p->columns - 1 ? "|\n" : "");
}

/* All rows of a run have the same number of callers. */
static void add_threads(struct page *p, int threads)
{
    char word[GR_WORD];
    gr_word_threads(threads, gr_row_callers(p->run->rows), word);
    gr_str_printf(p->out, ", %s", word);
}

static bool belongs(const struct gr_row *row, const struct gr_row *first)
{
    return gr_types_equal(row->problem.types, first->problem.types) &&
           row->threads == first->threads;
}

/* Appends the products of one type and number of threads, if row `first` is the first of them. */
static void add_table(struct page *p, int first)
{
    const struct gr_row *rows = p->run->rows;
    for (int i = 0; i < first; i++)
        if (belongs(&rows[i], &rows[first]))
            return;
    gr_str_printf(p->out, "%s%s", p->markdown ? "### " : "",
                  gr_types_word(rows[first].problem.types));
    add_threads(p, rows[first].threads);
    if (gr_row_callers(&rows[first]) > 1)
        gr_str_add(p->out, "; GFLOP/s: the sum of the callers' rates");
    gr_str_add(p->out, "\n\n");
    add_line(p, NULL);
    for (int i = first; i < p->run->row_count; i++)
        if (belongs(&rows[i], &rows[first]))
            add_line(p, &rows[i]);
    gr_str_add(p->out, "\n");
}

static void add_sum_name(struct page *p, const struct gr_sum *sum)
{
    gr_str_add(p->out, sum->all_types ? "all types" : gr_types_word(sum->types));
    add_threads(p, sum->threads);
    if (sum->work && p->markdown)
        gr_str_printf(p->out, ", %s", gr_work_words(sum->work));
}

static void add_sum_figures(struct page *p, const struct gr_sum *sum, int padding)
{
    char ratio[16] = "-";
    if (sum->rows)
        snprintf(ratio, sizeof ratio, p->markdown ? "%.3f" : "%.3fx", sum->ratio);
    if (p->markdown)
        gr_str_printf(p->out, " | %s | %d | %d | %d |\n", ratio, sum->rows, sum->losing,
                      sum->unsteady);
    else
        gr_str_printf(p->out, "%*s%s of %d products; %d wholly below 0.97", padding, "", ratio,
                      sum->rows, sum->losing);
    if (!p->markdown && sum->unsteady)
        gr_str_printf(p->out, "; %d unsteady left out", sum->unsteady);
    gr_str_add(p->out, p->markdown ? "" : "\n");
}

static void add_distribution_head(struct page *p)
{
    const uint64_t seed = p->run->environment.seed;
    gr_str_printf(p->out,
                  p->markdown ? "### ratios to the fastest peer, of random products "
                                "(`--seed %" PRIu64 "`)\n\n"
                              : "ratios to the fastest peer, of random products "
                                "(--seed %" PRIu64 ")\n\n",
                  seed);
    if (p->markdown)
        gr_str_add(p->out, "| products | of | geometric mean | 10th percentile | 5th percentile | "
                           "lowest | below 0.97 | unsteady |\n"
                           "|:--|--:|--:|--:|--:|--:|--:|--:|\n");
    else
        gr_str_printf(p->out, "%23s%7s%6s%6s%6s%8s%12s%10s\n", "", "of", "mean", "10th", "5th",
                      "lowest", "below 0.97", "unsteady");
}

/* Appends a cell with a number; in Markdown, without padding. */
static void add_figure(struct page *p, int width, const char *word)
{
    gr_str_printf(p->out, p->markdown ? " | %*s" : "%*s", p->markdown ? 0 : width, word);
}

static void add_distribution_figures(struct page *p, const struct gr_sum *s)
{
    const double ratios[] = {s->ratio, s->tenth, s->twentieth, s->lowest};
    static const int widths[] = {6, 6, 6, 8};
    char word[GR_WORD];
    snprintf(word, sizeof word, "%d", s->rows);
    add_figure(p, 7, word);
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, s->rows ? "%.2f" : "-", ratios[i]);
        add_figure(p, widths[i], word);
    }
    snprintf(word, sizeof word, "%d", s->below);
    add_figure(p, 12, word);
    snprintf(word, sizeof word, "%d", s->unsteady);
    add_figure(p, 10, word);
    gr_str_add(p->out, p->markdown ? " |\n" : "\n");
}

/* Appends the distribution of the ratios, with a line for each class of work. On a terminal, the
 * types and threads are in a line of their own, so that every line fits. */
static void add_distribution(struct page *p, const struct gr_sums *sums)
{
    add_distribution_head(p);
    for (int i = 0; i < sums->count; i++) {
        const struct gr_sum *sum = &sums->items[i];
        const bool begins = i == 0 || !gr_sum_is_like(sum, sum - 1);
        if (p->markdown || begins) {
            gr_str_add(p->out, p->markdown ? "| " : "  ");
            add_sum_name(p, sum);
            gr_str_add(p->out, p->markdown ? "" : "\n");
        }
        if (!p->markdown)
            gr_str_printf(p->out, "    %-19s", sum->work ? gr_work_words(sum->work) : "all");
        add_distribution_figures(p, sum);
    }
    gr_str_add(p->out, p->markdown ? "\n" : "\n  mean: geometric; 10th and 5th: percentiles\n\n");
}

static void add_sums(struct page *p, const struct gr_sums *sums)
{
    const int column = gr_row_callers(p->run->rows) > 1 ? 36 : 24; /* the column of the figures */
    gr_str_printf(p->out, "%sgeometric means of the ratios to the fastest peer\n\n",
                  p->markdown ? "### " : "");
    if (p->markdown)
        gr_str_add(p->out,
                   "| products | ratio | of | below 0.97 | unsteady |\n|:--|--:|--:|--:|--:|\n");
    for (int i = 0; i < sums->count; i++) {
        const struct gr_sum *sum = &sums->items[i];
        gr_str_add(p->out, p->markdown ? "| " : "  ");
        size_t start = p->out->length;
        add_sum_name(p, sum);
        add_sum_figures(p, sum, column - (int)(p->out->length - start));
    }
    gr_str_add(p->out, "\n");
}

/* The kinds of GEMMs whose lowest share of the peak is shown. */
static bool in_kind(const struct gr_row *row, int kind)
{
    const struct gr_problem *p = &row->problem;
    int64_t least = p->m < p->n ? p->m : p->n;
    least = p->k < least ? p->k : least;
    if (!gr_row_has_speed(row) || gr_row_is_unsteady(row) || row->peak_fraction <= 0 ||
        p->trans_a || p->trans_b)
        return false;
    if (kind == 0)
        return p->m == p->n && p->n == p->k && p->m % 2 == 1 && p->m >= 127;
    return least >= (kind == 1 ? 256 : kind == 2 ? 1000 : 1536);
}

static void share_cell(const struct page *p, const struct gr_row *like, int kind,
                       char cell[GR_WORD])
{
    const struct gr_row *lowest = NULL;
    char size[GR_WORD], share[GR_WORD];
    snprintf(cell, GR_WORD, "-");
    for (int i = 0; i < p->run->row_count; i++) {
        const struct gr_row *row = &p->run->rows[i];
        if (belongs(row, like) && in_kind(row, kind) &&
            (!lowest || row->peak_fraction < lowest->peak_fraction))
            lowest = row;
    }
    if (!lowest)
        return;
    gr_size_name(lowest->problem.m, lowest->problem.n, lowest->problem.k, size, sizeof size);
    gr_word_percent(lowest->peak_fraction, share);
    snprintf(cell, GR_WORD, "%.10s at %.24s", share, size);
}

/* Appends, for products that are bound by the multiply-add units, their lowest share of the
 * peak. */
static void add_shares(struct page *p)
{
    enum { KINDS = 4 };
    static const char *const heads[KINDS] = {"odd sizes from 127", "from 256", "from 1000",
                                             "from 1536"};
    bool begun = false;
    for (int i = 0; i < p->run->row_count; i++) {
        const struct gr_row *row = &p->run->rows[i];
        bool met = row->peak_fraction <= 0;
        for (int j = 0; j < i && !met; j++)
            met = belongs(&p->run->rows[j], row) && p->run->rows[j].peak_fraction > 0;
        if (met)
            continue;
        if (!begun)
            gr_str_printf(p->out,
                          p->markdown ? "### the lowest shares of the peak\n\n"
                                        "| | %s | %s | %s | %s |\n|:--|--:|--:|--:|--:|\n"
                                      : "the lowest shares of the peak: %s, %s, %s, %s\n\n",
                          heads[0], heads[1], heads[2], heads[3]);
        begun = true;
        gr_str_printf(p->out, "%s%s", p->markdown ? "| " : "  ", gr_types_word(row->problem.types));
        add_threads(p, row->threads);
        for (int kind = 0; kind < KINDS; kind++) {
            char cell[GR_WORD];
            share_cell(p, row, kind, cell);
            gr_str_printf(p->out, p->markdown ? " | %s" : kind ? ", %s" : ": %s", cell);
        }
        gr_str_add(p->out, p->markdown ? " |\n" : "\n");
    }
    gr_str_add(p->out, begun ? "\n" : "");
}

static int by_ratio(const void *x, const void *y)
{
    double a = (*(const struct gr_row *const *)x)->speedup.median;
    double b = (*(const struct gr_row *const *)y)->speedup.median;
    return (a > b) - (a < b);
}

/* Appends the lowest ratios and all rows that are slower than a peer. For random products, the
 * slower rows are only counted, in the distribution. */
static void add_worst(struct page *p)
{
    const struct gr_sum all = {.all_types = true};
    const struct gr_row **rows = calloc((size_t)p->run->row_count + 1, sizeof *rows);
    int count = 0;
    for (int i = 0; rows && i < p->run->row_count; i++)
        if (gr_row_counts_in(&p->run->rows[i], &all))
            rows[count++] = &p->run->rows[i];
    if (count)
        qsort(rows, (size_t)count, sizeof *rows, by_ratio);
    gr_str_printf(p->out, "%sthe lowest ratios\n\n", p->markdown ? "### " : "");
    for (int i = 0; i < count && (i < WORST || (gr_row_loses(rows[i]) && !p->run->by_work)); i++) {
        char size[GR_WORD], ratio[GR_WORD];
        gr_size_name(rows[i]->problem.m, rows[i]->problem.n, rows[i]->problem.k, size, sizeof size);
        gr_word_ratio(&rows[i]->speedup, true, ratio);
        gr_str_printf(p->out, "%s%s %s %s", p->markdown ? "- " : "  ",
                      gr_types_word(rows[i]->problem.types), size,
                      gr_problem_trans(&rows[i]->problem));
        add_threads(p, rows[i]->threads);
        gr_str_printf(p->out, ": %s of %s%s\n", ratio, rows[i]->peer.name,
                      gr_row_loses(rows[i]) ? ", below 0.97" : "");
    }
    gr_str_add(p->out, "\n");
    free(rows);
}

static void add_finding(void *context, const char *kind, const char *line)
{
    struct page *p = context;
    if (kind && strcmp(kind, "unsteady") != 0) /* the line already contains the word */
        gr_str_printf(p->out, "%s%s\n", p->markdown ? "- " : "", line);
}

/* Appends the rows that are not right, and those that were timed at another size than the requested
 * one. */
static void add_bad(struct page *p)
{
    for (int i = 0; i < p->run->row_count; i++) {
        const struct gr_row *row = &p->run->rows[i];
        char size[GR_WORD];
        const struct gr_group group = {.lead = row};
        if (row->verdict == GR_RIGHT) {
            gr_row_format_notes(&group, row, add_finding, p);
            continue;
        }
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        gr_str_printf(p->out, "%s%s %s %s: ", p->markdown ? "- " : "",
                      gr_types_word(row->problem.types), size, gr_problem_trans(&row->problem));
        gr_row_format_verdict(row, p->out);
        gr_str_add(p->out, "\n");
    }
}

void gr_sweep_page(const struct gr_run *run, const struct gr_style *style, bool markdown,
                   struct gr_str *out)
{
    struct page p = {.run = run, .out = out, .markdown = markdown};
    struct gr_sums sums;
    gr_sums_make(run, &sums);
    find_competitors(&p);
    fit(&p, markdown ? 0 : style->columns);
    for (int i = 0; i < run->row_count; i++)
        add_table(&p, i);
    if (sums.count && run->by_work)
        add_distribution(&p, &sums);
    else if (sums.count)
        add_sums(&p, &sums);
    if (sums.count)
        add_worst(&p);
    if (!run->by_work)
        add_shares(&p);
    gr_sweep_scaling(run, markdown, out);
    add_bad(&p);
}
