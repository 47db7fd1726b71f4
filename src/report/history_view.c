/* history_view.c: sorts the rows of the history into series of comparable rows.
 * SPDX-License-Identifier: MIT */
#include "report/history_view.h"

#include "core/error.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sorting ---- */

/* An entry with the keys by which it is sorted. */
struct item {
    const struct gr_history_entry *entry;
    const char *machine;
    int place; /* the index in the list, which is in the order of time */
};

static int compare_texts(const char *x, const char *y)
{
    return strcmp(x ? x : "", y ? y : "");
}

static int compare_numbers(double x, double y)
{
    return (x > y) - (x < y);
}

static int compare_problems(const struct gr_problem *p, const struct gr_problem *q)
{
    char types[2][64];
    gr_types_name(p->types, types[0], sizeof types[0]);
    gr_types_name(q->types, types[1], sizeof types[1]);
    int order = strcmp(types[0], types[1]);
    if (!order)
        order = compare_numbers(gr_problem_flops(p), gr_problem_flops(q));
    if (!order)
        order = compare_numbers((double)p->m, (double)q->m);
    if (!order)
        order = compare_numbers((double)p->n, (double)q->n);
    if (!order)
        order = compare_numbers((double)p->k, (double)q->k);
    return order ? order : strcmp(gr_problem_trans(p), gr_problem_trans(q));
}

/* Returns 0 if the two are comparable. */
static int compare_cases(const struct item *x, const struct item *y)
{
    const struct gr_row *p = &x->entry->row, *q = &y->entry->row;
    int order = strcmp(x->machine, y->machine);
    if (!order)
        order = p->is_peer - q->is_peer; /* libraries come last */
    if (!order)
        order = strcmp(p->kernel, q->kernel);
    if (!order)
        order = compare_texts(x->entry->file, y->entry->file);
    if (!order)
        order = compare_texts(x->entry->function, y->entry->function);
    if (!order)
        order = compare_problems(&p->problem, &q->problem);
    if (!order)
        order = p->threads - q->threads;
    if (!order)
        order = gr_row_callers(p) - gr_row_callers(q);
    return order ? order : p->cold - q->cold;
}

static int by_case(const void *x, const void *y)
{
    const struct item *a = x, *b = y;
    const int order = compare_cases(a, b);
    return order ? order : a->place - b->place;
}

/* ---- Series ---- */

static void add_series(struct gr_history_view *view, const struct item *items, int first, int end,
                       int last)
{
    const int left_out = last && end - first > last ? end - first - last : 0;
    view->series[view->count++] =
        (struct gr_history_series){.entries = view->order + first + left_out,
                                   .count = end - first - left_out,
                                   .left_out = left_out,
                                   .machine = items[first].machine};
}

static const char *machine_of(const struct gr_history_list *list,
                              const struct gr_history_entry *entry)
{
    const struct gr_history_run *run = gr_history_run_of(list, entry);
    return run && run->machine ? run->machine : "unknown";
}

enum gradus_status gr_history_view_make(const struct gr_history_list *list, const char *path,
                                        int last, gr_history_keep_fn *keep, const void *context,
                                        struct gr_history_view *view, struct gradus_error *error)
{
    const size_t room = (size_t)list->count + 1;
    struct item *items = calloc(room, sizeof *items);
    int count = 0, first = 0;
    *view = (struct gr_history_view){.list = list, .path = path};
    view->series = calloc(room, sizeof *view->series);
    view->order = calloc(room, sizeof *view->order);
    if (!items || !view->series || !view->order) {
        free(items);
        gr_history_view_free(view);
        return gr_fail_memory(error, "the history", room * sizeof *items);
    }
    for (int i = 0; i < list->count; i++)
        if (keep(context, list, &list->entries[i]))
            items[count++] =
                (struct item){&list->entries[i], machine_of(list, &list->entries[i]), i};
    qsort(items, (size_t)count, sizeof *items, by_case);
    for (int i = 0; i < count; i++)
        view->order[i] = items[i].entry;
    for (int i = 0; i < count; i++)
        if (i + 1 == count || compare_cases(&items[i], &items[i + 1]) != 0) {
            add_series(view, items, first, i + 1, last);
            first = i + 1;
        }
    free(items);
    return GRADUS_OK;
}

void gr_history_view_free(struct gr_history_view *view)
{
    free(view->series);
    free(view->order);
    *view = (struct gr_history_view){0};
}

/* ---- Words ---- */

void gr_history_format_case(const struct gr_history_series *series, struct gr_str *out)
{
    const struct gr_history_entry *entry = series->entries[0];
    const struct gr_row *row = &entry->row;
    char size[64], types[64], threads[GR_WORD];
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
    gr_types_name(row->problem.types, types, sizeof types);
    gr_word_threads(row->threads, row->callers, threads);
    gr_str_add_line(out, row->kernel);
    if (entry->function) {
        gr_str_add(out, ", ");
        gr_str_add_line(out, entry->function);
        gr_str_add(out, ",");
    }
    gr_str_printf(out, " at %s: %s %s, ", size, types, gr_problem_trans(&row->problem));
    if (gr_row_is_of_host(row))
        gr_str_printf(out, "%s, ", threads);
    gr_str_add(out, row->cold ? "cold" : "warm");
    if (entry->file) {
        gr_str_add(out, "; ");
        gr_str_add_line(out, entry->file);
    }
}

static void add_change(const char *what, const char *now, const char *was, struct gr_str *out)
{
    if (compare_texts(now, was) == 0)
        return;
    gr_str_printf(out, "%s%s ", out->length ? "; " : "", what);
    gr_str_add_line(out, now && *now ? now : "none");
    gr_str_add(out, ", was ");
    gr_str_add_line(out, was && *was ? was : "none");
}

void gr_history_format_change(const struct gr_history_view *view,
                              const struct gr_history_series *series, int index, struct gr_str *out)
{
    if (index == 0)
        return;
    const struct gr_history_entry *entry = series->entries[index],
                                  *was = series->entries[index - 1];
    const struct gr_history_run *run = gr_history_run_of(view->list, entry),
                                *run_was = gr_history_run_of(view->list, was);
    struct gr_str change = {0};
    add_change("variant", entry->row.variant, was->row.variant, &change);
    add_change("flags", entry->row.flags, was->row.flags, &change);
    if (run && run_was)
        add_change("gradus", run->environment.version, run_was->environment.version, &change);
    gr_str_add(out, gr_str_text(&change));
    gr_str_free(&change);
}

void gr_history_word_date(const struct gr_history_entry *entry, char word[GR_HISTORY_DATE])
{
    struct gr_str line = {0};
    gr_str_add_line(&line, entry->date);
    snprintf(word, GR_HISTORY_DATE, "%.10s %.5s", gr_str_text(&line),
             line.length > 15 ? line.text + 11 : "");
    gr_str_free(&line);
}

void gr_history_word_hash(const struct gr_history_entry *entry, char word[GR_HISTORY_HASH])
{
    const char *digits = entry->file_hash ? entry->file_hash : "";
    snprintf(word, GR_HISTORY_HASH, "%.*s", (int)strspn(digits, "0123456789abcdef"), digits);
}

void gr_history_word_spread(const struct gr_history_entry *entry, char word[GR_WORD])
{
    const struct gr_stat *t = &entry->row.time_ns;
    word[0] = 0;
    if (t->n > 1 && t->iqr > 0 && t->median > 0)
        gr_word_percent(t->iqr / 2 / t->median, word);
}

const char *gr_history_peer(const struct gr_history_series *series)
{
    const char *name = NULL;
    for (int i = 0; i < series->count; i++) {
        const struct gr_row *row = &series->entries[i]->row;
        if (!row->speedup.n || !row->peer.name[0])
            continue;
        if (name && strcmp(name, row->peer.name) != 0)
            return "peer";
        name = row->peer.name;
    }
    return name;
}
