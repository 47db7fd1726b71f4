/* past.h: opens the history for a verb that reads it, and selects rows.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PAST_H
#define CLI_PAST_H

#include "cli/recording.h"
#include "history/history.h"

/* Opens the history for reading, and reports on standard error if a damaged file was moved. *path
 * is malloc'ed. NOT_FOUND: there is none yet; INVALID: it is disabled. */
enum gradus_status gr_past_open(char **path, struct gr_history **history,
                                struct gradus_error *error);

/* Converts a time in the past, such as "7d", "2w", "12h" or "90m" ago, "2026-11-25" or
 * "2026-11-25T18:00" (UTC), to ISO 8601. */
enum { GR_PAST_DATE = 32 };
enum gradus_status gr_past_parse_since(const char *text, char date[GR_PAST_DATE],
                                       struct gradus_error *error);

/* Which rows are selected; null and false: any. */
struct gr_past_filter {
    const char *kernel, *device;
    bool sized;
    int64_t m, n, k;
};

/* A gr_history_keep_fn whose context is a struct gr_past_filter. */
bool gr_past_keep(const void *context, const struct gr_history_list *list,
                  const struct gr_history_entry *entry);

/* For each row of a run that was recorded, the last comparable row of another run. */
struct gr_past_rows {
    struct gr_history_entry *entries; /* if there is none, an empty entry without a date */
    int count;
};

/* Can a history be opened? If there is none yet, this is OK, too. */
enum gradus_status gr_past_check(struct gradus_error *error);
/* `recording` is that of the run, which must have ended. */
enum gradus_status gr_past_find(const struct gr_recording *recording, const struct gr_run *run,
                                struct gr_past_rows *past, struct gradus_error *error);
void gr_past_rows_free(struct gr_past_rows *past);

#endif
