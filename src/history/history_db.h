/* history_db.h: the history as SQLite has it, for the files of this folder that use SQLite.
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_HISTORY_DB_H
#define HISTORY_HISTORY_DB_H

#include "history/history.h"
#include "records/columns.h"

#include <sqlite3.h>

struct gr_history {
    sqlite3 *db;
    char *path;
    char *notice; /* of gr_history_notice */
    bool empty;   /* the file has no tables yet, and is only read */
};

/* "GRAD", PRAGMA application_id: a database with tables and another number is not ours. */
enum { GR_HISTORY_APPLICATION = 0x47524144 };

/* Fills the error with what SQLite says of the statement that failed last. IO. */
enum gradus_status gr_history_fail(const struct gr_history *history, const char *what,
                                   struct gradus_error *error);
/* Runs statements without results. */
enum gradus_status gr_history_run_sql(struct gr_history *history, const char *sql, const char *what,
                                      struct gradus_error *error);
/* The number that a statement gives in its first column; `otherwise` where it gives no row. The
 * result is SQLite's code. */
int gr_history_number(struct gr_history *history, const char *sql, int64_t otherwise,
                      int64_t *number);

/* Creates the tables where there are none, and adds the columns that an earlier Gradus did not
 * have. UNSUPPORTED: the database is of a later Gradus or of another program. */
enum gradus_status gr_history_prepare(struct gr_history *history, struct gradus_error *error);
/* The same checks for a database that is only read; sets history->empty. */
enum gradus_status gr_history_check(struct gr_history *history, struct gradus_error *error);

/* Is this column of a row kept? Those are left out that a right, timed row does not have, and
 * those that hold lists. */
bool gr_history_keeps(const struct gr_column *column);
/* The column's name in SQL: "time_ns_median" for "time_ns.median". */
enum { GR_HISTORY_NAME = 48 };
void gr_history_column_name(const struct gr_column *column, char name[GR_HISTORY_NAME]);
/* Has the table of rows that column? */
bool gr_history_has_column(struct gr_history *history, const char *name);

/* The texts of an environment that are columns of the table of runs. */
struct gr_history_text {
    const char *name;
    size_t offset; /* of a char * in struct gr_environment */
};
extern const struct gr_history_text gr_history_texts[]; /* ends with a null name */

/* Binds a text, or NULL, to a parameter. The text stays valid until the statement is done. */
void gr_history_bind_text(sqlite3_stmt *statement, int index, const char *text);
/* A copy of a column's text; null for NULL. */
char *gr_history_text(sqlite3_stmt *statement, int column);

#endif
