/* history_schema.c: the tables of the history. The columns of a row are those of records/columns.h,
 * so that a new column is automatically stored. SPDX-License-Identifier: MIT */
#include "history/history.h"

#ifdef GRADUS_HAVE_SQLITE

#include "core/error.h"
#include "history/history_db.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENVIRONMENT(member)                                                                        \
    {                                                                                              \
#member, offsetof(struct gr_environment, member)                                           \
    }

const struct gr_history_text gr_history_texts[] = {ENVIRONMENT(date),
                                                   ENVIRONMENT(version),
                                                   ENVIRONMENT(system),
                                                   ENVIRONMENT(cpu),
                                                   ENVIRONMENT(isa),
                                                   ENVIRONMENT(caches),
                                                   ENVIRONMENT(gpu),
                                                   ENVIRONMENT(compiler),
                                                   ENVIRONMENT(fill),
                                                   ENVIRONMENT(command),
                                                   {NULL, 0}};

/* ---- Columns. ---- */

bool gr_history_keeps(const struct gr_column *column)
{
    static const char *const left_out[] = {"title",    "verdict",   "reason", "worst.",  "counts.",
                                           "traffic.", "simulated", "log",    "diagnose"};
    if (column->kind == GR_COLUMN_LIST)
        return false;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (gr_starts_with(column->json, left_out[i]))
            return false;
    return true;
}

void gr_history_column_name(const struct gr_column *column, char name[GR_HISTORY_NAME])
{
    snprintf(name, GR_HISTORY_NAME, "%s", column->json);
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '_';
}

static const char *type_of(const struct gr_column *column)
{
    switch (column->kind) {
    case GR_COLUMN_REAL:
    case GR_COLUMN_ELEMENT:
        return "REAL";
    case GR_COLUMN_BOOL:
    case GR_COLUMN_INT:
    case GR_COLUMN_INT64:
    case GR_COLUMN_REQUESTED:
        return "INTEGER";
    default:
        return strcmp(column->json, "unsteady") == 0 ? "INTEGER" : "TEXT";
    }
}

bool gr_history_has_column(struct gr_history *h, const char *name)
{
    return sqlite3_table_column_metadata(h->db, "main", "rows", name, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* ---- Creating tables. ---- */

static void add_tables(struct gr_str *sql)
{
    gr_str_add(sql, "CREATE TABLE runs(id INTEGER PRIMARY KEY, title TEXT, machine TEXT, cores "
                    "INTEGER, seed TEXT");
    for (const struct gr_history_text *text = gr_history_texts; text->name; text++)
        gr_str_printf(sql, ", \"%s\" TEXT", text->name);
    gr_str_add(sql, ");CREATE TABLE rows(id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES "
                    "runs(id), date TEXT NOT NULL, file TEXT, function TEXT, file_hash TEXT");
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        char name[GR_HISTORY_NAME];
        gr_history_column_name(c, name);
        if (gr_history_keeps(c))
            gr_str_printf(sql, ", \"%s\" %s", name, type_of(c));
    }
    gr_str_add(sql,
               ");CREATE TABLE rivals(\"row\" INTEGER NOT NULL REFERENCES rows(id), name TEXT, "
               "version TEXT, core TEXT, threads INTEGER, gflops REAL, speedup_median REAL, "
               "speedup_lo REAL, speedup_hi REAL, speedup_n INTEGER);"
               "CREATE TABLE ceilings(run INTEGER NOT NULL REFERENCES runs(id), name TEXT, "
               "value REAL, unit TEXT, unsteady INTEGER);"
               "CREATE INDEX rows_by_case ON rows(kernel, m, n, k);"
               "CREATE INDEX rivals_by_row ON rivals(\"row\");"
               "CREATE INDEX ceilings_by_run ON ceilings(run);");
    gr_str_printf(sql, "PRAGMA application_id=%d;PRAGMA user_version=%d;", GR_HISTORY_APPLICATION,
                  GR_HISTORY_SCHEMA);
}

/* Adds columns of this version of Gradus that the database does not have. */
static void add_columns(struct gr_history *h, struct gr_str *sql)
{
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        char name[GR_HISTORY_NAME];
        gr_history_column_name(c, name);
        if (gr_history_keeps(c) && !gr_history_has_column(h, name))
            gr_str_printf(sql, "ALTER TABLE rows ADD COLUMN \"%s\" %s;", name, type_of(c));
    }
}

/* ---- Which program the database belongs to. ---- */

/* Examines the file: it is empty, has our tables, or belongs to another program. */
static enum gradus_status look(struct gr_history *h, bool *empty, struct gradus_error *error)
{
    int64_t tables, version, application;
    int code = gr_history_number(h, "SELECT count(*) FROM sqlite_master", 0, &tables);
    if (code == SQLITE_OK)
        code = gr_history_number(h, "PRAGMA user_version", 0, &version);
    if (code == SQLITE_OK)
        code = gr_history_number(h, "PRAGMA application_id", 0, &application);
    if (code != SQLITE_OK)
        return gr_history_fail(h, "it cannot be read", error);
    *empty = tables == 0 && version == 0 && application == 0;
    if (!*empty && application != GR_HISTORY_APPLICATION)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "history: %s is the database of another program, and is left alone: set "
                       "GRADUS_HISTORY to another file",
                       h->path);
    if (version > GR_HISTORY_SCHEMA)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "history: %s is of a later gradus (found schema %" PRId64
                       ", wanted %d) and is left alone: use that gradus, or set GRADUS_HISTORY to "
                       "another file",
                       h->path, version, GR_HISTORY_SCHEMA);
    return GRADUS_OK;
}

enum gradus_status gr_history_check(struct gr_history *h, struct gradus_error *error)
{
    return look(h, &h->empty, error);
}

/* The journal mode WAL allows reading during a write, and does not wait for the disk after each
 * row. If the file system does not support it, SQLite keeps its current mode. */
static void set_mode(struct gr_history *h)
{
    sqlite3_exec(h->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
    sqlite3_exec(h->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
}

/* Everything is done in one transaction, so that among several processes only the first creates the
 * tables. */
enum gradus_status gr_history_prepare(struct gr_history *h, struct gradus_error *error)
{
    bool empty;
    struct gr_str sql = {0};
    /* Before anything is written, since the file may belong to another program. */
    enum gradus_status status = look(h, &empty, error);
    if (status != GRADUS_OK)
        return status;
    set_mode(h);
    status = gr_history_run_sql(h, "BEGIN IMMEDIATE", "it cannot be written", error);
    if (status != GRADUS_OK)
        return status;
    status = look(h, &empty, error);
    if (status == GRADUS_OK && empty)
        add_tables(&sql);
    else if (status == GRADUS_OK)
        add_columns(h, &sql);
    if (sql.failed)
        status = gr_fail_memory(error, "the history's tables", sql.length);
    if (status == GRADUS_OK)
        status = gr_history_run_sql(h, gr_str_text(&sql), "its tables cannot be made", error);
    if (status == GRADUS_OK)
        status = gr_history_run_sql(h, "COMMIT", "its tables cannot be made", error);
    if (status != GRADUS_OK)
        sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    gr_str_free(&sql);
    return status;
}

#endif
