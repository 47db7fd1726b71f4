/* past.c: finds rows of the history by the names that users give. SPDX-License-Identifier: MIT */
#include "cli/past.h"

#include "base/str.h"
#include "cli/duration.h"
#include "cli/verb.h"
#include "core/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum gradus_status gr_past_open(char **path, struct gr_history **history,
                                struct gradus_error *error)
{
    enum gradus_status status = gr_history_place(path, error);
    *history = NULL;
    if (status == GRADUS_OK && gr_history_is_built() && !*path)
        status = gr_fail(error, GRADUS_INVALID,
                         "history: it is switched off: GRADUS_HISTORY is empty: unset it, or set "
                         "it to a file");
    if (status == GRADUS_OK || !gr_history_is_built())
        status = gr_history_open(*path, false, history, error);
    if (status == GRADUS_OK && gr_history_notice(*history))
        gr_cli_note("%s", gr_history_notice(*history));
    return status;
}

/* ---- --since ---- */

static void format_date(time_t when, char date[GR_PAST_DATE])
{
    struct tm utc;
    gmtime_r(&when, &utc);
    strftime(date, GR_PAST_DATE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Parses "7d" and "2w", which gr_duration_parse does not accept. */
static bool parse_days(const char *text, int64_t *seconds)
{
    enum { MOST = 40000 /* a hundred years */ };
    char *end;
    const long number = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || number > MOST || !*end || end[1])
        return false;
    const int64_t day = 24 * 3600;
    *seconds = number * (*end == 'w' ? 7 * day : day);
    return *end == 'd' || *end == 'w';
}

/* Parses a date, or its beginning, with the day at least. */
static bool parse_date(const char *text, char date[GR_PAST_DATE])
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm utc = {0};
        const char *end = strptime(text, forms[i], &utc);
        if (end && !*end) {
            format_date(timegm(&utc), date);
            return true;
        }
    }
    return false;
}

enum gradus_status gr_past_parse_since(const char *text, char date[GR_PAST_DATE],
                                       struct gradus_error *error)
{
    int64_t seconds, ns;
    if (parse_date(text, date))
        return GRADUS_OK;
    if (parse_days(text, &seconds)) {
        format_date(time(NULL) - (time_t)seconds, date);
        return GRADUS_OK;
    }
    if (gr_duration_parse(text, &ns)) {
        format_date(time(NULL) - (time_t)(ns / 1000000000), date);
        return GRADUS_OK;
    }
    return gr_fail(error, GRADUS_INVALID,
                   "--since '%.80s': wanted a time before now, as 7d, 2w or 12h, or a date, as "
                   "2026-11-25 or 2026-11-25T18:00",
                   text);
}

/* ---- Filtering rows. ---- */

/* Is it the same file, even if it is given by another path? */
static bool is_file(const struct gr_history_entry *entry, const char *kernel)
{
    char *whole = entry->file ? realpath(kernel, NULL) : NULL;
    const bool same = whole && strcmp(whole, entry->file) == 0;
    free(whole);
    return same;
}

/* Accepts "8" and "08" for "08_library". */
static bool has_number(const char *name, const char *text)
{
    char *name_end, *text_end;
    if (!isdigit((unsigned char)*name) || !isdigit((unsigned char)*text))
        return false;
    const long number = strtol(name, &name_end, 10), wanted = strtol(text, &text_end, 10);
    return *name_end == '_' && !*text_end && number == wanted;
}

static bool is_kernel(const struct gr_history_entry *entry, const char *kernel)
{
    const char *name = entry->row.kernel;
    if (strcmp(name, kernel) == 0 || has_number(name, kernel) || is_file(entry, kernel))
        return true;
    const bool is_number = strspn(kernel, "0123456789") == strlen(kernel);
    return !is_number && strcasestr(name, kernel);
}

static bool is_device(const struct gr_history_list *list, const struct gr_history_entry *entry,
                      const char *device)
{
    const struct gr_history_run *run = gr_history_run_of(list, entry);
    const size_t length = strlen(device);
    const char *its = entry->row.device;
    return (strncmp(its, device, length) == 0 && (!its[length] || its[length] == ':')) ||
           (run && run->machine && strcasestr(run->machine, device));
}

bool gr_past_keep(const void *context, const struct gr_history_list *list,
                  const struct gr_history_entry *entry)
{
    const struct gr_past_filter *f = context;
    const struct gr_problem *p = &entry->row.problem;
    return (!f->kernel || is_kernel(entry, f->kernel)) &&
           (!f->device || is_device(list, entry, f->device)) &&
           (!f->sized || (p->m == f->m && p->n == f->n && p->k == f->k));
}

/* ---- The last comparable rows. ---- */

/* Opens the history. If there is none yet, *history is null, which is no error. */
static enum gradus_status open_or_none(struct gr_history **history, struct gradus_error *error)
{
    char *path = NULL;
    enum gradus_status status = gr_past_open(&path, history, error);
    if (status == GRADUS_NOT_FOUND && path) {
        gradus_error_clear(error);
        status = GRADUS_OK;
    }
    free(path);
    return status;
}

enum gradus_status gr_past_check(struct gradus_error *error)
{
    struct gr_history *history;
    enum gradus_status status = open_or_none(&history, error);
    gr_history_close(history);
    return status;
}

static enum gradus_status find_rows(struct gr_history *history,
                                    const struct gr_recording *recording, const struct gr_run *run,
                                    struct gr_past_rows *past, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < run->row_count && status == GRADUS_OK; i++) {
        struct gr_history_entry like;
        bool found;
        gr_recording_entry(recording, &run->rows[i], &like);
        status = gr_history_last(history, recording->run.machine, &like, &found, &past->entries[i],
                                 error);
        gr_recording_entry_free(&like);
    }
    return status;
}

enum gradus_status gr_past_find(const struct gr_recording *recording, const struct gr_run *run,
                                struct gr_past_rows *past, struct gradus_error *error)
{
    struct gr_history *history = NULL;
    *past = (struct gr_past_rows){.count = run->row_count};
    past->entries = calloc((size_t)run->row_count + 1, sizeof *past->entries);
    if (!past->entries)
        return gr_fail_memory(error, "earlier rows", 0);
    enum gradus_status status = open_or_none(&history, error);
    if (status == GRADUS_OK && history)
        status = find_rows(history, recording, run, past, error);
    gr_history_close(history);
    return status;
}

void gr_past_rows_free(struct gr_past_rows *past)
{
    for (int i = 0; past->entries && i < past->count; i++)
        gr_history_entry_free(&past->entries[i]);
    free(past->entries);
    *past = (struct gr_past_rows){0};
}
