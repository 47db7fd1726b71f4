/* history.h: the history: each row that was timed and is right, and the run that it belongs to, in
 * a SQLite database in the user's data folder. docs/history.md describes its tables.
 * SPDX-License-Identifier: MIT
 *
 * Several processes may use one database at the same time. In a build without SQLite, every
 * function that would need it returns UNSUPPORTED and names the package to install. */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "base/str.h"
#include "records/row.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* The version of the schema that is written (PRAGMA user_version). It is increased when a column is
 * removed or changes its meaning, but not when a column is added. */
enum { GR_HISTORY_SCHEMA = 1 };

/* Was this built with SQLite? */
bool gr_history_is_built(void);
/* The version of SQLite, such as "3.40.1"; "" in a build without it. */
const char *gr_history_sqlite_version(void);

/* Finds the file of the history: GRADUS_HISTORY or, without it, gradus/history.db in XDG_DATA_HOME
 * or in ~/.local/share. malloc'ed; null if GRADUS_HISTORY is set and empty, which disables the
 * history. NOT_FOUND: neither variable is set, and there is no HOME. */
enum gradus_status gr_history_place(char **path, struct gradus_error *error);

/* A run of a measuring command. */
struct gr_history_run {
    int64_t id;
    char *title;   /* "ladder on cpu" */
    char *machine; /* the name of the CPU or GPU that computed its rows */
    struct gr_environment environment;
};

/* A row of a run. */
struct gr_history_entry {
    int64_t id, run;
    char *date;      /* when it was measured; ISO 8601, UTC */
    char *file;      /* the absolute path of a user's kernel; null: built in, or a library */
    char *function;  /* as given by --kernel, if the file has several kernels; null: not given */
    char *file_hash; /* the hash of the file or of the built-in rung, 32 hexadecimal digits; null: a
                        library */
    struct gr_row row; /* without title, findings, counts and traffic */
};

/* Rows in the order in which they were measured, and the runs that they belong to. */
struct gr_history_list {
    struct gr_history_run *runs;
    int run_count;
    struct gr_history_entry *entries;
    int count;
};

struct gr_history;

/* Opens the database. With `to_write`, it is created if it does not exist, together with its
 * folder. A damaged file is renamed to FILE.damaged-DATE, together with its journal, and a new
 * database is created; gr_history_notice reports it. Errors: NOT_FOUND: it does not exist, and is
 * only to be read; UNSUPPORTED: it was written by a later version of Gradus or by another program,
 * and is left unchanged; IO. */
enum gradus_status gr_history_open(const char *path, bool to_write, struct gr_history **history,
                                   struct gradus_error *error);
/* Returns one line about a damaged file, or null if there was none. */
const char *gr_history_notice(const struct gr_history *history);
void gr_history_close(struct gr_history *history);

/* Adds a run and sets run->id. */
enum gradus_status gr_history_begin_run(struct gr_history *history, struct gr_history_run *run,
                                        struct gradus_error *error);
/* Stores what is known only after the run has ended: the GPU's clock and power, and the
 * ceilings. */
enum gradus_status gr_history_end_run(struct gr_history *history, const struct gr_history_run *run,
                                      struct gradus_error *error);
/* Adds a row if it is right and was timed, and does nothing otherwise. Sets entry->id and the
 * date. */
enum gradus_status gr_history_add(struct gr_history *history, const struct gr_history_entry *entry,
                                  struct gradus_error *error);

/* Reads all rows from `since` on (ISO 8601, UTC; null: all). */
enum gradus_status gr_history_read(struct gr_history *history, const char *since,
                                   struct gr_history_list *list, struct gradus_error *error);
void gr_history_list_free(struct gr_history_list *list);
void gr_history_entry_free(struct gr_history_entry *entry);
const struct gr_history_run *gr_history_run_of(const struct gr_history_list *list,
                                               const struct gr_history_entry *entry);

/* Finds the last row that is comparable with `like` and belongs to another run than like->run: the
 * same machine, kernel, file and function, types, shape, transposes, threads, callers and cache
 * state. If there is none, *found is false and *last is empty. */
enum gradus_status gr_history_last(struct gr_history *history, const char *machine,
                                   const struct gr_history_entry *like, bool *found,
                                   struct gr_history_entry *last, struct gradus_error *error);

#endif
