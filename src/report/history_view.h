/* history_view.h: shows the history, with comparable rows next to each other: as a table for a
 * terminal, as data, and as a page with a chart for each series. SPDX-License-Identifier: MIT */
#ifndef REPORT_HISTORY_VIEW_H
#define REPORT_HISTORY_VIEW_H

#include "history/history.h"
#include "report/report.h"
#include "report/words.h"

/* Comparable rows, in the order of their measurement: of one machine, kernel, file and function,
 * with the same types, shape, transposes, threads, callers and cache state. */
struct gr_history_series {
    const struct gr_history_entry *const *entries;
    int count;
    int left_out; /* the number of earlier rows that are not shown */
    const char *machine;
};

struct gr_history_view {
    const struct gr_history_list *list;
    const char *path; /* the path of the database */
    struct gr_history_series *series;
    int count;
    const struct gr_history_entry **order; /* the entries of all series */
};

/* Sorts the entries of the list for which keep(context, entry) is true into series, by machine,
 * kernel and size. `last` is the maximal number of rows in a series, 0: no limit. The view points
 * into list and path. */
typedef bool gr_history_keep_fn(const void *context, const struct gr_history_list *list,
                                const struct gr_history_entry *entry);
enum gradus_status gr_history_view_make(const struct gr_history_list *list, const char *path,
                                        int last, gr_history_keep_fn *keep, const void *context,
                                        struct gr_history_view *view, struct gradus_error *error);
void gr_history_view_free(struct gr_history_view *view);

/* Appends a description of a series, such as "08_library at 1024: f32 nn, 1 thread, cold". */
void gr_history_format_case(const struct gr_history_series *series, struct gr_str *out);
/* Appends the difference between the entry and the one before it, such as "variant BM=64, was
 * BM=128"; nothing for the first entry, or if there is no difference. */
void gr_history_format_change(const struct gr_history_view *view,
                              const struct gr_history_series *series, int index,
                              struct gr_str *out);
/* Writes a date such as "2026-11-25 18:02". */
enum { GR_HISTORY_DATE = 24 };
void gr_history_word_date(const struct gr_history_entry *entry, char word[GR_HISTORY_DATE]);
/* Writes the first seven digits of the file's hash. */
enum { GR_HISTORY_HASH = 8 };
void gr_history_word_hash(const struct gr_history_entry *entry, char word[GR_HISTORY_HASH]);
/* Writes half the interquartile range of the samples as a percentage of the median, such as
 * "1.2%". */
void gr_history_word_spread(const struct gr_history_entry *entry, char word[GR_WORD]);
/* Returns the name of the library that all rows of the series were compared with; "peer" if there
 * are several, null if there is none. */
const char *gr_history_peer(const struct gr_history_series *series);

/* Append the whole view in each of the formats. */
void gr_history_table(const struct gr_history_view *view, const struct gr_style *style,
                      struct gr_str *out);
void gr_history_csv(const struct gr_history_view *view, struct gr_str *out);
void gr_history_json(const struct gr_history_view *view, struct gr_str *out);
enum gradus_status gr_history_page(const struct gr_history_view *view, struct gr_str *out,
                                   struct gradus_error *error);

#endif
