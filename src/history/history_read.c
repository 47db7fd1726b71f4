/* history_read.c: reads rows of the history. A column that an earlier version of Gradus did not
 * have is unknown, like a value that was not measured. Numbers outside of the range of a row's
 * member are clamped. SPDX-License-Identifier: MIT */
#include "history/history.h"

#ifdef GRADUS_HAVE_SQLITE

#include "core/error.h"
#include "history/history_db.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cannot_read[] = "it cannot be read";

char *gr_history_text(sqlite3_stmt *statement, int column)
{
    return gr_strdup((const char *)sqlite3_column_text(statement, column));
}

static void read_name(sqlite3_stmt *statement, int column, char *name, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    snprintf(name, size, "%s", text ? (const char *)text : "");
}

static int read_int(sqlite3_stmt *statement, int column)
{
    const int64_t x = sqlite3_column_int64(statement, column);
    return x < 0 ? 0 : x > INT_MAX ? INT_MAX : (int)x;
}

/* Makes room for one more item of a list. Returns null if memory runs out, and sets the error. */
static void *grow(void *items, int count, size_t size, struct gradus_error *error)
{
    if (count & (count - 1)) /* the list is full when its count is a power of two */
        return items;
    void *grown = realloc(items, (size_t)(count ? 2 * count : 1) * size);
    if (!grown)
        gr_fail_memory(error, "the history", (uint64_t)count * size);
    return grown;
}

/* ---- A row. ---- */

/* Reads "dtype", "trans" and "cache". "unsteady" need not be read, because it follows from other
 * columns. */
static void read_derived(sqlite3_stmt *statement, int column, const struct gr_column *c,
                         struct gr_row *row)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    if (!text)
        return;
    if (strcmp(c->json, "dtype") == 0)
        gr_types_read(text, &row->problem.types);
    else if (strcmp(c->json, "cache") == 0)
        row->cold = strcmp(text, "cold") == 0;
    else if (strcmp(c->json, "trans") == 0 && strlen(text) == 2) {
        row->problem.trans_a = text[0] == 't';
        row->problem.trans_b = text[1] == 't';
    }
}

static void read_cell(sqlite3_stmt *statement, int column, const struct gr_column *c,
                      struct gr_row *row)
{
    void *at = gr_column_member(c, row);
    switch (c->kind) {
    case GR_COLUMN_TEXT:
        *(char **)at = gr_history_text(statement, column);
        break;
    case GR_COLUMN_NAME:
        read_name(statement, column, at, c->size);
        break;
    case GR_COLUMN_BOOL:
        *(bool *)at = sqlite3_column_int(statement, column) != 0;
        break;
    case GR_COLUMN_INT:
        *(int *)at = read_int(statement, column);
        break;
    case GR_COLUMN_INT64:
    case GR_COLUMN_REQUESTED:
        *(int64_t *)at = sqlite3_column_int64(statement, column);
        break;
    case GR_COLUMN_REAL:
    case GR_COLUMN_ELEMENT:
        *(double *)at = sqlite3_column_type(statement, column) == SQLITE_NULL
                            ? (c->flags & GR_COLUMN_SHARE ? -1 : 0)
                            : sqlite3_column_double(statement, column);
        break;
    case GR_COLUMN_DERIVED:
        read_derived(statement, column, c, row);
        break;
    case GR_COLUMN_LIST:
        break;
    }
}

/* Writes "SELECT id,run,date,file,function,file_hash,…", with NULL for columns that this database
 * does not have. */
static void format_select(struct gr_history *h, struct gr_str *sql)
{
    gr_str_add(sql, "SELECT r.id,r.run,r.date,r.file,r.function,r.file_hash");
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        char name[GR_HISTORY_NAME];
        if (!gr_history_keeps(c))
            continue;
        gr_history_column_name(c, name);
        if (gr_history_has_column(h, name))
            gr_str_printf(sql, ",r.\"%s\"", name);
        else
            gr_str_add(sql, ",NULL");
    }
    gr_str_add(sql, " FROM rows r");
}

static enum gradus_status read_entry(sqlite3_stmt *statement, struct gr_history_entry *entry,
                                     struct gradus_error *error)
{
    int column = 0;
    struct gr_row *row = &entry->row;
    entry->id = sqlite3_column_int64(statement, column++);
    entry->run = sqlite3_column_int64(statement, column++);
    entry->date = gr_history_text(statement, column++);
    entry->file = gr_history_text(statement, column++);
    entry->function = gr_history_text(statement, column++);
    entry->file_hash = gr_history_text(statement, column++);
    for (const struct gr_column *c = gr_columns; c->json; c++)
        if (gr_history_keeps(c))
            read_cell(statement, column++, c, row);
    row->verdict = GR_RIGHT;
    if (!row->kernel) /* NULL, if the database was edited */
        row->kernel = gr_strdup("");
    if (!row->device)
        row->device = gr_strdup("");
    if (!entry->date)
        entry->date = gr_strdup("");
    return row->kernel && row->device && entry->date ? GRADUS_OK
                                                     : gr_fail_memory(error, "the history", 0);
}

/* ---- The libraries that a row was timed against. ---- */

static enum gradus_status add_rival(struct gr_row *row, sqlite3_stmt *statement,
                                    struct gradus_error *error)
{
    void *grown = grow(row->competitors, row->competitor_count, sizeof *row->competitors, error);
    if (!grown)
        return GRADUS_NO_MEMORY;
    row->competitors = grown;
    struct gr_competitor *rival = &row->competitors[row->competitor_count++];
    struct gr_peer_result *peer = &rival->peer;
    *rival = (struct gr_competitor){0};
    read_name(statement, 0, peer->name, sizeof peer->name);
    read_name(statement, 1, peer->version, sizeof peer->version);
    read_name(statement, 2, peer->core, sizeof peer->core);
    peer->threads = read_int(statement, 3);
    peer->gflops = sqlite3_column_double(statement, 4);
    rival->speedup =
        (struct gr_ratio){sqlite3_column_double(statement, 5), sqlite3_column_double(statement, 6),
                          sqlite3_column_double(statement, 7), read_int(statement, 8)};
    return GRADUS_OK;
}

static enum gradus_status read_rivals(struct gr_history *h, struct gr_history_entry *entry,
                                      struct gradus_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum gradus_status status = GRADUS_OK;
    int code =
        sqlite3_prepare_v2(h->db,
                           "SELECT name,version,core,threads,gflops,speedup_median,speedup_lo,"
                           "speedup_hi,speedup_n FROM rivals WHERE \"row\"=? ORDER BY rowid",
                           -1, &statement, NULL);
    if (code != SQLITE_OK)
        return gr_history_fail(h, cannot_read, error);
    sqlite3_bind_int64(statement, 1, entry->id);
    while (status == GRADUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_rival(&entry->row, statement, error);
    if (status == GRADUS_OK && code != SQLITE_DONE)
        status = gr_history_fail(h, cannot_read, error);
    sqlite3_finalize(statement);
    return status;
}

/* ---- Runs. ---- */

static void format_runs(struct gr_str *sql)
{
    gr_str_add(sql, "SELECT id,title,machine,cores,seed");
    for (const struct gr_history_text *text = gr_history_texts; text->name; text++)
        gr_str_printf(sql, ",\"%s\"", text->name);
    gr_str_add(sql, " FROM runs WHERE id IN (SELECT run FROM rows WHERE date>=?) ORDER BY id");
}

static void read_run(sqlite3_stmt *statement, struct gr_history_run *run)
{
    struct gr_environment *e = &run->environment;
    int column = 0;
    run->id = sqlite3_column_int64(statement, column++);
    run->title = gr_history_text(statement, column++);
    run->machine = gr_history_text(statement, column++);
    e->cores = read_int(statement, column++);
    const unsigned char *seed = sqlite3_column_text(statement, column++);
    e->seed = seed ? strtoull((const char *)seed, NULL, 10) : 0;
    for (const struct gr_history_text *text = gr_history_texts; text->name; text++)
        *(char **)((char *)e + text->offset) = gr_history_text(statement, column++);
}

static enum gradus_status read_ceilings(struct gr_history *h, struct gr_history_run *run,
                                        struct gradus_error *error)
{
    struct gr_environment *e = &run->environment;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        h->db, "SELECT name,value,unit,unsteady FROM ceilings WHERE run=? ORDER BY rowid", -1,
        &statement, NULL);
    if (code != SQLITE_OK)
        return gr_history_fail(h, cannot_read, error);
    sqlite3_bind_int64(statement, 1, run->id);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        void *grown = grow(e->ceilings, e->ceiling_count, sizeof *e->ceilings, error);
        if (!grown)
            break;
        e->ceilings = grown;
        struct gr_ceiling *ceiling = &e->ceilings[e->ceiling_count++];
        read_name(statement, 0, ceiling->name, sizeof ceiling->name);
        ceiling->value = sqlite3_column_double(statement, 1);
        read_name(statement, 2, ceiling->unit, sizeof ceiling->unit);
        ceiling->unsteady = sqlite3_column_int(statement, 3) != 0;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE  ? GRADUS_OK
           : code == SQLITE_ROW ? GRADUS_NO_MEMORY
                                : gr_history_fail(h, cannot_read, error);
}

static enum gradus_status add_runs(struct gr_history *h, sqlite3_stmt *statement,
                                   struct gr_history_list *list, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    int code = SQLITE_DONE;
    while (status == GRADUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        void *grown = grow(list->runs, list->run_count, sizeof *list->runs, error);
        if (!grown)
            return GRADUS_NO_MEMORY;
        list->runs = grown;
        struct gr_history_run *run = &list->runs[list->run_count++];
        *run = (struct gr_history_run){0};
        read_run(statement, run);
        status = read_ceilings(h, run, error);
    }
    return status == GRADUS_OK && code != SQLITE_DONE ? gr_history_fail(h, cannot_read, error)
                                                      : status;
}

static enum gradus_status read_runs(struct gr_history *h, const char *since,
                                    struct gr_history_list *list, struct gradus_error *error)
{
    struct gr_str sql = {0};
    sqlite3_stmt *statement = NULL;
    enum gradus_status status = GRADUS_OK;
    format_runs(&sql);
    if (sqlite3_prepare_v2(h->db, gr_str_text(&sql), -1, &statement, NULL) != SQLITE_OK)
        status = gr_history_fail(h, cannot_read, error);
    if (status == GRADUS_OK) {
        gr_history_bind_text(statement, 1, since ? since : "");
        status = add_runs(h, statement, list, error);
    }
    sqlite3_finalize(statement);
    gr_str_free(&sql);
    return status;
}

/* ---- Lists. ---- */

static enum gradus_status read_entries(struct gr_history *h, sqlite3_stmt *statement,
                                       struct gr_history_list *list, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    int code = SQLITE_DONE;
    while (status == GRADUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        void *grown = grow(list->entries, list->count, sizeof *list->entries, error);
        if (!grown)
            return GRADUS_NO_MEMORY;
        list->entries = grown;
        struct gr_history_entry *entry = &list->entries[list->count++];
        *entry = (struct gr_history_entry){0};
        status = read_entry(statement, entry, error);
        if (status == GRADUS_OK)
            status = read_rivals(h, entry, error);
    }
    return status == GRADUS_OK && code != SQLITE_DONE ? gr_history_fail(h, cannot_read, error)
                                                      : status;
}

static enum gradus_status select_entries(struct gr_history *h, const char *since,
                                         struct gr_history_list *list, struct gradus_error *error)
{
    struct gr_str sql = {0};
    sqlite3_stmt *statement = NULL;
    format_select(h, &sql);
    gr_str_add(&sql, " WHERE r.date>=? ORDER BY r.date,r.id");
    enum gradus_status status = GRADUS_OK;
    if (sqlite3_prepare_v2(h->db, gr_str_text(&sql), -1, &statement, NULL) != SQLITE_OK)
        status = gr_history_fail(h, cannot_read, error);
    if (status == GRADUS_OK) {
        gr_history_bind_text(statement, 1, since ? since : "");
        status = read_entries(h, statement, list, error);
    }
    sqlite3_finalize(statement);
    gr_str_free(&sql);
    return status;
}

/* Reads in one transaction, so that the run of each row is found. */
enum gradus_status gr_history_read(struct gr_history *h, const char *since,
                                   struct gr_history_list *list, struct gradus_error *error)
{
    *list = (struct gr_history_list){0};
    if (h->empty)
        return GRADUS_OK;
    enum gradus_status status = gr_history_run_sql(h, "BEGIN", cannot_read, error);
    if (status != GRADUS_OK)
        return status;
    status = read_runs(h, since, list, error);
    if (status == GRADUS_OK)
        status = select_entries(h, since, list, error);
    sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    if (status != GRADUS_OK)
        gr_history_list_free(list);
    return status;
}

/* ---- The last comparable row. ---- */

/* The conditions for a comparable row. `callers` is NULL if there is one caller. */
static const char last_sql[] =
    " JOIN runs u ON u.id=r.run WHERE u.machine IS ?1 AND r.run<>?2 AND r.kernel=?3 AND r.file IS "
    "?4 AND r.m=?5 AND r.n=?6 AND r.k=?7 AND r.dtype=?8 AND r.trans=?9 AND r.threads=?10 AND "
    "coalesce(r.callers,1)=?11 AND r.cache=?12 AND r.function IS ?13 ORDER BY r.date DESC, r.id "
    "DESC LIMIT 1";

static void bind_case(sqlite3_stmt *statement, const char *machine,
                      const struct gr_history_entry *like)
{
    const struct gr_row *row = &like->row;
    const struct gr_problem *p = &row->problem;
    char types[64];
    gr_types_name(p->types, types, sizeof types);
    gr_history_bind_text(statement, 1, machine);
    sqlite3_bind_int64(statement, 2, like->run);
    gr_history_bind_text(statement, 3, row->kernel);
    gr_history_bind_text(statement, 4, like->file);
    sqlite3_bind_int64(statement, 5, p->m);
    sqlite3_bind_int64(statement, 6, p->n);
    sqlite3_bind_int64(statement, 7, p->k);
    sqlite3_bind_text(statement, 8, types, -1, SQLITE_TRANSIENT);
    gr_history_bind_text(statement, 9, gr_problem_trans(p));
    sqlite3_bind_int(statement, 10, row->threads);
    sqlite3_bind_int(statement, 11, gr_row_callers(row));
    gr_history_bind_text(statement, 12, row->cold ? "cold" : "warm");
    gr_history_bind_text(statement, 13, like->function);
}

enum gradus_status gr_history_last(struct gr_history *h, const char *machine,
                                   const struct gr_history_entry *like, bool *found,
                                   struct gr_history_entry *last, struct gradus_error *error)
{
    struct gr_str sql = {0};
    sqlite3_stmt *statement = NULL;
    struct gr_history_list list = {0};
    *found = false;
    *last = (struct gr_history_entry){0};
    if (h->empty)
        return GRADUS_OK;
    format_select(h, &sql);
    gr_str_add(&sql, last_sql);
    enum gradus_status status = GRADUS_OK;
    if (sqlite3_prepare_v2(h->db, gr_str_text(&sql), -1, &statement, NULL) != SQLITE_OK)
        status = gr_history_fail(h, cannot_read, error);
    if (status == GRADUS_OK) {
        bind_case(statement, machine, like);
        status = read_entries(h, statement, &list, error);
    }
    sqlite3_finalize(statement);
    gr_str_free(&sql);
    if (status == GRADUS_OK && list.count) {
        *found = true;
        *last = list.entries[0];
        list.entries[0] = (struct gr_history_entry){0};
    }
    gr_history_list_free(&list);
    return status;
}

#endif
