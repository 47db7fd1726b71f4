/* html_sweep.c: the page of a sweep: its means and its worst rows on one screen, then each product
 * in collapsed sections. SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "records/steady.h"
#include "records/sums.h"
#include "report/markup.h"
#include "report/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 10, MOST_SHOWN = 12 };

/* A heading that begins with > is that of a column of numbers. */
static void open_table(const char *heading, const char *id, const char *const *heads,
                       struct gr_str *out)
{
    gr_str_printf(out,
                  "<h2 id=\"%s\">%s</h2>\n<div class=\"scroll\" role=\"region\" "
                  "aria-labelledby=\"%s\" tabindex=\"0\">\n<table class=\"dense\">\n<thead><tr>",
                  id, heading, id);
    for (int i = 0; heads[i]; i++)
        gr_str_printf(out, "<th scope=\"col\"%s>%s</th>", *heads[i] == '>' ? " class=\"num\"" : "",
                      heads[i] + (*heads[i] == '>'));
    gr_str_add(out, "</tr></thead>\n<tbody>\n");
}

static void close_table(struct gr_str *out)
{
    gr_str_add(out, "</tbody>\n</table>\n</div>\n");
}

static void add_number(struct gr_str *out, const char *text)
{
    gr_str_add(out, "<td class=\"num\">");
    gr_markup_add(out, text);
    gr_str_add(out, "</td>");
}

static void add_text(struct gr_str *out, const char *text)
{
    gr_str_add(out, "<td class=\"nowrap\">");
    gr_markup_add(out, text);
    gr_str_add(out, "</td>");
}

/* ---- The means. ---- */

static void add_sums(const struct gr_sums *sums, struct gr_str *out)
{
    static const char *const heads[] = {"products",    "",          ">ratio", ">of",
                                        ">below 0.97", ">unsteady", NULL};
    open_table("Geometric means", "means", heads, out);
    for (int i = 0; i < sums->count; i++) {
        const struct gr_sum *sum = &sums->items[i];
        char threads[GR_WORD], ratio[GR_WORD] = "", rows[GR_WORD], losing[GR_WORD],
                               unsteady[GR_WORD] = "";
        gr_word_threads(sum->threads, sum->callers, threads);
        if (sum->rows)
            snprintf(ratio, sizeof ratio, "%.3fx", sum->ratio);
        if (sum->unsteady)
            snprintf(unsteady, sizeof unsteady, "%d", sum->unsteady);
        snprintf(rows, sizeof rows, "%d", sum->rows);
        snprintf(losing, sizeof losing, "%d", sum->losing);
        gr_str_printf(out, "<tr><th scope=\"row\">%s</th>",
                      sum->all_types ? "all types" : gr_types_word(sum->types));
        add_text(out, threads);
        add_number(out, ratio);
        add_number(out, rows);
        add_number(out, losing);
        add_number(out, unsteady);
        gr_str_add(out, "</tr>\n");
    }
    close_table(out);
}

static void add_distribution_row(const struct gr_sum *sum, struct gr_str *out)
{
    const double ratios[] = {sum->ratio, sum->tenth, sum->twentieth, sum->lowest};
    char word[GR_WORD];
    gr_str_printf(out, "<tr><th scope=\"row\" class=\"below\">%s",
                  sum->work ? gr_work_words(sum->work) : "all products");
    if (sum->unsteady)
        gr_str_printf(out, "<small>%d unsteady left out</small>", sum->unsteady);
    gr_str_add(out, "</th>");
    snprintf(word, sizeof word, "%d", sum->rows);
    add_number(out, word);
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, sum->rows ? "%.2f" : "-", ratios[i]);
        add_number(out, word);
    }
    snprintf(word, sizeof word, "%d", sum->below);
    add_number(out, word);
    gr_str_add(out, "</tr>\n");
}

/* A row with the types and threads of the rows below it. */
static void open_group(const struct gr_sum *sum, bool first, struct gr_str *out)
{
    char threads[GR_WORD];
    gr_word_threads(sum->threads, sum->callers, threads);
    gr_str_printf(out, "%s<tr><th scope=\"rowgroup\" colspan=\"7\">%s, %s</th></tr>\n",
                  first ? "" : "</tbody>\n<tbody>\n",
                  sum->all_types ? "all types" : gr_types_word(sum->types), threads);
}

/* The distribution of the ratios, with a row for each class of work. */
static void add_distribution(const struct gr_sums *sums, struct gr_str *out)
{
    static const char *const heads[] = {"products", ">of",     ">mean",       ">10th",
                                        ">5th",     ">lowest", ">below 0.97", NULL};
    open_table("Ratios to the fastest library", "means", heads, out);
    for (int i = 0; i < sums->count; i++) {
        const struct gr_sum *sum = &sums->items[i];
        if (i == 0 || !gr_sum_is_like(sum, sum - 1))
            open_group(sum, i == 0, out);
        add_distribution_row(sum, out);
    }
    close_table(out);
    gr_str_add(out,
               "<p class=\"muted\">Random sizes; geometric mean; 10th and 5th percentile.</p>\n");
}

/* The summary of the run in a sentence. The last sum is that of all rows. */
static void add_lead(const struct gr_sum *all, struct gr_str *out)
{
    if (!all->rows)
        return;
    gr_str_printf(
        out,
        "<p class=\"lead\"><b>%.3fx</b> the speed of the fastest library in the same run, the "
        "geometric mean of %d product%s; %d of them wholly below %.2f.</p>\n",
        all->ratio, all->rows, all->rows == 1 ? "" : "s", all->losing, GR_LOSES_BELOW);
}

/* ---- The worst rows. ---- */

static int by_ratio(const void *x, const void *y)
{
    double a = (*(const struct gr_row *const *)x)->speedup.median;
    double b = (*(const struct gr_row *const *)y)->speedup.median;
    return (a > b) - (a < b);
}

/* Returns the rows that have a ratio, the lowest first. To be freed. */
static const struct gr_row **sorted_rows(const struct gr_run *run, int *count)
{
    const struct gr_sum all = {.all_types = true};
    const struct gr_row **rows = calloc((size_t)run->row_count + 1, sizeof *rows);
    *count = 0;
    for (int i = 0; rows && i < run->row_count; i++)
        if (gr_row_counts_in(&run->rows[i], &all))
            rows[(*count)++] = &run->rows[i];
    if (*count)
        qsort(rows, (size_t)*count, sizeof *rows, by_ratio);
    return rows;
}

static void add_product(const struct gr_row *row, struct gr_str *out)
{
    char size[GR_WORD];
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
    gr_str_add(out, "<tr><th scope=\"row\">");
    gr_markup_printf(out, "%s %s", size, gr_problem_trans(&row->problem));
    gr_str_add(out, "</th>");
}

/* Appends a ratio such as "0.82x" and below it its interval, such as "[0.81,0.83]". */
static void add_ratio(const struct gr_row *row, struct gr_str *out)
{
    char ratio[GR_WORD];
    gr_word_ratio(&row->speedup, true, ratio);
    char *interval = strchr(ratio, ' ');
    if (interval)
        *interval++ = 0;
    gr_str_printf(out, "<td class=\"num%s\">", gr_row_loses(row) ? " loses" : "");
    gr_markup_add(out, ratio);
    if (interval) {
        gr_str_add(out, "<small>");
        gr_markup_add(out, interval);
        gr_str_add(out, "</small>");
    }
    gr_str_add(out, "</td>");
}

static void add_worst_row(const struct gr_row *row, struct gr_str *out)
{
    char size[GR_WORD], threads[GR_WORD];
    gr_word_threads(row->threads, row->callers, threads);
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
    gr_str_add(out, "<tr><th scope=\"row\">");
    gr_markup_printf(out, "%s %s", size, gr_problem_trans(&row->problem));
    gr_str_printf(out, "<small>%s, %s</small></th>", gr_types_word(row->problem.types), threads);
    add_ratio(row, out);
    add_text(out, row->peer.name);
    gr_str_add(out, "</tr>\n");
}

/* Appends the `most` rows with the lowest ratios or, if `most` is 0, all that are slower than a
 * peer. */
static void add_lowest(const struct gr_row *const *rows, int count, int most, const char *heading,
                       const char *id, struct gr_str *out)
{
    static const char *const heads[] = {"product", ">ratio", "of", NULL};
    open_table(heading, id, heads, out);
    for (int i = 0; i < count && (most == 0 || i < most); i++)
        if (most || gr_row_loses(rows[i]))
            add_worst_row(rows[i], out);
    close_table(out);
}

/* ---- The details. ---- */

/* Appends the rows that are slower than a peer, if there are more than those shown above. */
static void add_losing(const struct gr_row *const *rows, int count, struct gr_str *out)
{
    int losing = 0;
    for (int i = 0; i < count; i++)
        losing += gr_row_loses(rows[i]);
    if (losing <= WORST)
        return;
    gr_str_printf(out, "<details><summary>All %d products wholly below %.2f</summary>\n", losing,
                  GR_LOSES_BELOW);
    add_lowest(rows, count, 0, "Wholly below the fastest library", "losing", out);
    gr_str_add(out, "</details>\n");
}

static bool belongs(const struct gr_row *row, const struct gr_row *first)
{
    return gr_types_equal(row->problem.types, first->problem.types) &&
           row->threads == first->threads;
}

static void add_verdict(const struct gr_row *row, struct gr_str *out)
{
    struct gr_str say = {0};
    gr_row_format_verdict(row, &say);
    add_product(row, out);
    gr_str_add(out, "<td colspan=\"6\">");
    gr_markup_add(out, gr_str_text(&say));
    gr_str_add(out, "</td></tr>\n");
    gr_str_free(&say);
}

static void add_row(const struct gr_row *row, struct gr_str *out)
{
    char word[GR_WORD];
    if (!gr_row_has_speed(row)) {
        add_verdict(row, out);
        return;
    }
    add_product(row, out);
    add_text(out, row->cold ? "cold" : "warm");
    gr_word_rate(row->gflops, word);
    add_number(out, word);
    gr_word_peak(row, word);
    add_number(out, word);
    gr_word_rate(row->peer.gflops, word);
    add_number(out, word);
    add_text(out, row->peer.name);
    gr_word_ratio(&row->speedup, true, word);
    gr_str_add(out, "<td class=\"num\">");
    gr_markup_add(out, word);
    gr_str_add(out,
               gr_row_is_unsteady(row) ? "<small>unsteady</small></td></tr>\n" : "</td></tr>\n");
}

/* Appends the products of one type and number of threads, if row `first` is the first of them. */
static void add_products(const struct gr_run *run, int first, struct gr_str *out)
{
    static const char *const heads[] = {"product",          "cache", ">GFLOP/s", ">of peak",
                                        ">fastest library", "",      ">ratio",   NULL};
    const struct gr_row *rows = run->rows;
    char threads[GR_WORD], id[GR_WORD], heading[GR_WORD];
    int count = 0;
    for (int i = 0; i < run->row_count; i++) {
        if (!belongs(&rows[i], &rows[first]))
            continue;
        if (i < first)
            return;
        count++;
    }
    gr_word_threads(rows[first].threads, rows[first].callers, threads);
    snprintf(id, sizeof id, "products-%d", first);
    snprintf(heading, sizeof heading, "%.20s, %.40s", gr_types_word(rows[first].problem.types),
             threads);
    gr_str_printf(out, "<details><summary>%s: %d product%s</summary>\n", heading, count,
                  count == 1 ? "" : "s");
    open_table(heading, id, heads, out);
    for (int i = first; i < run->row_count; i++)
        if (belongs(&rows[i], &rows[first]))
            add_row(&rows[i], out);
    close_table(out);
    gr_str_add(out, "</details>\n");
}

static void add_bad(const struct gr_run *run, struct gr_str *out)
{
    int bad = 0;
    for (int i = 0; i < run->row_count; i++)
        bad += gr_row_is_bad(&run->rows[i]);
    if (!bad)
        return;
    gr_str_printf(out,
                  "<p><span class=\"badge bad\">%d</span> product%s failed and show%s no "
                  "speed:</p>\n<ul>\n",
                  bad, bad == 1 ? "" : "s", bad == 1 ? "s" : "");
    for (int i = 0, shown = 0; i < run->row_count && shown < MOST_SHOWN; i++) {
        const struct gr_row *row = &run->rows[i];
        char size[GR_WORD];
        struct gr_str say = {0};
        if (!gr_row_is_bad(row))
            continue;
        shown++;
        gr_row_format_verdict(row, &say);
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        gr_str_add(out, "<li>");
        gr_markup_printf(out, "%s %s %s, ", gr_types_word(row->problem.types), size,
                         gr_problem_trans(&row->problem));
        gr_markup_add(out, gr_str_text(&say));
        gr_str_add(out, "</li>\n");
        gr_str_free(&say);
    }
    gr_str_add(out, "</ul>\n");
}

static void add_meaning(const struct gr_run *run, struct gr_str *out)
{
    if (run->row_count && gr_row_callers(run->rows) > 1)
        gr_str_add(out, "<p class=\"muted\">GFLOP/s: the sum of the callers' rates.</p>\n");
}

static void add_pictures(const struct gr_pictures *pictures, struct gr_str *out)
{
    if (pictures->count == 0)
        return;
    gr_str_printf(out, "<details><summary>%d pictures</summary>\n", pictures->count);
    for (int i = 0; i < pictures->count; i++)
        gr_html_picture(&pictures->items[i], out);
    gr_str_add(out, "</details>\n");
}

void gr_html_sweep(const struct gr_run *run, const struct gr_pictures *pictures, struct gr_str *out)
{
    struct gr_sums sums;
    int count = 0;
    const struct gr_row **rows = sorted_rows(run, &count);
    gr_sums_make(run, &sums);
    out->failed |= !rows;
    gr_str_add(out, "<section class=\"screen\">\n");
    if (sums.count)
        add_lead(&sums.items[sums.count - 1], out);
    add_bad(run, out);
    if (sums.count) {
        gr_str_printf(out, "<div class=\"pair%s\">\n<div>\n", run->by_work ? " wide-first" : "");
        if (run->by_work)
            add_distribution(&sums, out);
        else
            add_sums(&sums, out);
        gr_str_add(out, "</div>\n<div>\n");
        add_lowest(rows, count, WORST, "The lowest ratios", "worst", out);
        gr_str_add(out, "</div>\n</div>\n");
    }
    gr_str_add(out, "</section>\n<section>\n<h2>Details</h2>\n");
    if (rows)
        add_losing(rows, count, out);
    add_meaning(run, out);
    for (int i = 0; i < run->row_count; i++)
        add_products(run, i, out);
    add_pictures(pictures, out);
    gr_str_add(out, "</section>\n");
    free(rows);
}
