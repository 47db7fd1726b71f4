/* history.h: the history: each row that was timed and is right, with the run that it is of, in a
 * SQLite database in the user's data folder. docs/history.md describes its tables.
 *
 * Several processes may use one database at the same time. Without SQLite at build time every
 * function that would need it returns UNSUPPORTED, with the package to install.
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "base/str.h"
#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* The schema that is written, PRAGMA user_version. It is increased when a column is removed or
 * changes its meaning. A column that is added does not increase it. */
enum { GR_HISTORY_SCHEMA = 1 };

/* Was this built with SQLite? */
bool gr_history_is_built(void);
/* "3.40.1"; "" in a build without it. */
const char *gr_history_sqlite_version(void);

/* The file of the history: GRADUS_HISTORY, else gradus/history.db in XDG_DATA_HOME or in
 * ~/.local/share. malloc'ed; null where GRADUS_HISTORY is set and empty, which switches the history
 * off. NOT_FOUND: there is neither variable, and no HOME. */
enum gradus_status gr_history_place(char **path, struct gradus_error *error);

/* A run of a measuring command. */
struct gr_history_run {
    int64_t id;
    char *title;   /* "ladder on cpu" */
    char *machine; /* the name of the processor or the GPU that computed its rows */
    struct gr_environment environment;
};

/* A row of it. */
struct gr_history_entry {
    int64_t id, run;
    char *date;      /* when it was measured; ISO 8601, UTC */
    char *file;      /* the absolute path of a user's kernel; null: built in, or a library */
    char *function;  /* of --kernel, where the file has several; null: not given */
    char *file_hash; /* of that file or the built-in rung, 32 hexadecimal digits; null: a library */
    struct gr_row row; /* without title, findings, counts and traffic */
};

/* Rows in the order in which they were measured, and the runs that they are of. */
struct gr_history_list {
    struct gr_history_run *runs;
    int run_count;
    struct gr_history_entry *entries;
    int count;
};

struct gr_history;

/* Opens the database; `to_write` makes it, with its folder, where it is not there. A file that is
 * damaged is renamed to FILE.damaged-DATE, with its journal, and a new one is begun;
 * gr_history_notice says so. Errors: NOT_FOUND: it is only to be read, and is not there;
 * UNSUPPORTED: a later version of Gradus wrote it, or another program, and it is left alone; IO. */
enum gradus_status gr_history_open(const char *path, bool to_write, struct gr_history **history,
                                   struct gradus_error *error);
/* One line about a damaged file; null: there was none. */
const char *gr_history_notice(const struct gr_history *history);
void gr_history_close(struct gr_history *history);

/* Adds a run and sets run->id. */
enum gradus_status gr_history_begin_run(struct gr_history *history, struct gr_history_run *run,
                                        struct gradus_error *error);
/* What is known only when the run has ended: the GPU's clock and power, and the ceilings. */
enum gradus_status gr_history_end_run(struct gr_history *history, const struct gr_history_run *run,
                                      struct gradus_error *error);
/* Adds a row, if it is right and was timed, else nothing; entry->id and the date are set here. */
enum gradus_status gr_history_add(struct gr_history *history, const struct gr_history_entry *entry,
                                  struct gradus_error *error);

/* All rows from `since` on (ISO 8601, UTC; null: all). */
enum gradus_status gr_history_read(struct gr_history *history, const char *since,
                                   struct gr_history_list *list, struct gradus_error *error);
void gr_history_list_free(struct gr_history_list *list);
void gr_history_entry_free(struct gr_history_entry *entry);
const struct gr_history_run *gr_history_run_of(const struct gr_history_list *list,
                                               const struct gr_history_entry *entry);

/* The last row that compares with `like`, of another run than like->run: the same machine,
 * kernel, file and function, types, shape, transposes, threads, callers and state of the caches.
 * *found is false where there is none, and *last is empty then. */
enum gradus_status gr_history_last(struct gr_history *history, const char *machine,
                                   const struct gr_history_entry *like, bool *found,
                                   struct gr_history_entry *last, struct gradus_error *error);

#endif
