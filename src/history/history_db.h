/* history_db.h: the history as a SQLite database, for the files of this folder that use SQLite.
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_HISTORY_DB_H
#define HISTORY_HISTORY_DB_H

#include "history/history.h"
#include "records/columns.h"

#include <sqlite3.h>

struct gr_history {
    sqlite3 *db;
    char *path;
    char *notice; /* as returned by gr_history_notice */
    bool empty;   /* the file has no tables yet, and is opened for reading only */
};

/* The PRAGMA application_id, "GRAD". A database that has tables and another id belongs to another
 * program. */
enum { GR_HISTORY_APPLICATION = 0x47524144 };

/* Sets the error to SQLite's message for the last statement that failed. Returns IO. */
enum gradus_status gr_history_fail(const struct gr_history *history, const char *what,
                                   struct gradus_error *error);
/* Runs statements that have no results. */
enum gradus_status gr_history_run_sql(struct gr_history *history, const char *sql, const char *what,
                                      struct gradus_error *error);
/* Reads the number in the first column of a statement's result, or `otherwise` if there is no row.
 * Returns SQLite's result code. */
int gr_history_number(struct gr_history *history, const char *sql, int64_t otherwise,
                      int64_t *number);

/* Creates the tables if there are none, and adds columns that an earlier version of Gradus did not
 * have. Returns UNSUPPORTED if the database belongs to a later version of Gradus or to another
 * program. */
enum gradus_status gr_history_prepare(struct gr_history *history, struct gradus_error *error);
/* Makes the same checks for a database that is opened for reading only, and sets history->empty. */
enum gradus_status gr_history_check(struct gr_history *history, struct gradus_error *error);

/* Is this column of a row stored? Columns that a right, timed row does not have, and lists, are
 * not. */
bool gr_history_keeps(const struct gr_column *column);
/* Writes the column's name in SQL, such as "time_ns_median" for "time_ns.median". */
enum { GR_HISTORY_NAME = 48 };
void gr_history_column_name(const struct gr_column *column, char name[GR_HISTORY_NAME]);
/* Does the table of rows have this column? */
bool gr_history_has_column(struct gr_history *history, const char *name);

/* The texts of an environment that are columns of the table of runs. */
struct gr_history_text {
    const char *name;
    size_t offset; /* the offset of a char * in struct gr_environment */
};
extern const struct gr_history_text gr_history_texts[]; /* a null name ends it */

/* Binds a text, or NULL, to a parameter. The text must stay valid until the statement is
 * finalized. */
void gr_history_bind_text(sqlite3_stmt *statement, int index, const char *text);
/* Returns a copy of a column's text; null for NULL. */
char *gr_history_text(sqlite3_stmt *statement, int column);

#endif
