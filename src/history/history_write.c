/* history_write.c: adds runs and rows to the history. SPDX-License-Identifier: MIT */
#include "history/history.h"

#ifdef GRADUS_HAVE_SQLITE

#include "core/error.h"
#include "history/history_db.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static const char cannot_write[] = "it cannot be written";

void gr_history_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, index);
}

static void bind_real(sqlite3_stmt *statement, int index, double x, bool known)
{
    if (known && isfinite(x))
        sqlite3_bind_double(statement, index, x);
    else
        sqlite3_bind_null(statement, index);
}

static enum gradus_status prepare(struct gr_history *h, const char *sql, sqlite3_stmt **statement,
                                  struct gradus_error *error)
{
    return sqlite3_prepare_v2(h->db, sql, -1, statement, NULL) == SQLITE_OK
               ? GRADUS_OK
               : gr_history_fail(h, cannot_write, error);
}

/* Runs a statement that has been prepared and bound. */
static enum gradus_status finish(struct gr_history *h, sqlite3_stmt *statement,
                                 struct gradus_error *error)
{
    const int code = sqlite3_step(statement);
    enum gradus_status status =
        code == SQLITE_DONE ? GRADUS_OK : gr_history_fail(h, cannot_write, error);
    sqlite3_finalize(statement);
    return status;
}

/* Appends placeholders, such as "(?,?,?)". */
static void add_marks(struct gr_str *sql, int count)
{
    for (int i = 0; i < count; i++)
        gr_str_add(sql, i ? ",?" : "(?");
    gr_str_add(sql, ")");
}

static enum gradus_status begin(struct gr_history *h, struct gradus_error *error)
{
    return gr_history_run_sql(h, "BEGIN IMMEDIATE", cannot_write, error);
}

/* Commits if all statements succeeded, and rolls back otherwise. */
static enum gradus_status end(struct gr_history *h, enum gradus_status status,
                              struct gradus_error *error)
{
    if (status == GRADUS_OK)
        status = gr_history_run_sql(h, "COMMIT", cannot_write, error);
    if (status != GRADUS_OK)
        sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- Runs. ---- */

static const char *text_of(const struct gr_environment *e, const struct gr_history_text *text)
{
    return *(char *const *)((const char *)e + text->offset);
}

enum gradus_status gr_history_begin_run(struct gr_history *h, struct gr_history_run *run,
                                        struct gradus_error *error)
{
    const struct gr_environment *e = &run->environment;
    struct gr_str sql = {0};
    sqlite3_stmt *statement = NULL;
    char seed[24];
    int count = 4, index = 1;
    gr_str_add(&sql, "INSERT INTO runs(title,machine,cores,seed");
    for (const struct gr_history_text *text = gr_history_texts; text->name; text++, count++)
        gr_str_printf(&sql, ",\"%s\"", text->name);
    gr_str_add(&sql, ")VALUES");
    add_marks(&sql, count);
    enum gradus_status status = prepare(h, gr_str_text(&sql), &statement, error);
    if (status == GRADUS_OK) {
        snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
        gr_history_bind_text(statement, index++, run->title);
        gr_history_bind_text(statement, index++, run->machine);
        sqlite3_bind_int(statement, index++, e->cores);
        gr_history_bind_text(statement, index++, seed);
        for (const struct gr_history_text *text = gr_history_texts; text->name; text++)
            gr_history_bind_text(statement, index++, text_of(e, text));
        status = finish(h, statement, error);
        run->id = sqlite3_last_insert_rowid(h->db);
    }
    gr_str_free(&sql);
    return status;
}

static enum gradus_status add_ceiling(struct gr_history *h, int64_t run,
                                      const struct gr_ceiling *ceiling, struct gradus_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum gradus_status status =
        prepare(h, "INSERT INTO ceilings(run,name,value,unit,unsteady)VALUES(?,?,?,?,?)",
                &statement, error);
    if (status != GRADUS_OK)
        return status;
    sqlite3_bind_int64(statement, 1, run);
    gr_history_bind_text(statement, 2, ceiling->name);
    bind_real(statement, 3, ceiling->value, true);
    gr_history_bind_text(statement, 4, ceiling->unit);
    sqlite3_bind_int(statement, 5, ceiling->unsteady);
    return finish(h, statement, error);
}

static enum gradus_status set_gpu(struct gr_history *h, const struct gr_history_run *run,
                                  struct gradus_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum gradus_status status = prepare(h, "UPDATE runs SET gpu=? WHERE id=?", &statement, error);
    if (status != GRADUS_OK)
        return status;
    gr_history_bind_text(statement, 1, run->environment.gpu);
    sqlite3_bind_int64(statement, 2, run->id);
    return finish(h, statement, error);
}

enum gradus_status gr_history_end_run(struct gr_history *h, const struct gr_history_run *run,
                                      struct gradus_error *error)
{
    enum gradus_status status = begin(h, error);
    if (status != GRADUS_OK)
        return status;
    status = set_gpu(h, run, error);
    for (int i = 0; status == GRADUS_OK && i < run->environment.ceiling_count; i++)
        status = add_ceiling(h, run->id, &run->environment.ceilings[i], error);
    return end(h, status, error);
}

/* ---- Rows. ---- */

static void bind_cell(sqlite3_stmt *statement, int index, const struct gr_column *column,
                      const struct gr_row *row)
{
    struct gr_cell cell;
    gr_column_cell(column, row, &cell);
    if (cell.kind == GR_CELL_TEXT) /* the text may be in the cell, whose lifetime ends here */
        sqlite3_bind_text(statement, index, cell.text, -1, SQLITE_TRANSIENT);
    else if (cell.kind == GR_CELL_BOOL)
        sqlite3_bind_int(statement, index, cell.truth);
    else if (cell.kind == GR_CELL_WHOLE)
        sqlite3_bind_int64(statement, index, cell.whole);
    else
        bind_real(statement, index, cell.real, cell.kind == GR_CELL_REAL);
}

static void format_row_sql(struct gr_str *sql)
{
    int count = 5;
    gr_str_add(sql, "INSERT INTO rows(run,date,file,function,file_hash");
    for (const struct gr_column *c = gr_columns; c->json; c++) {
        char name[GR_HISTORY_NAME];
        if (!gr_history_keeps(c))
            continue;
        gr_history_column_name(c, name);
        gr_str_printf(sql, ",\"%s\"", name);
        count++;
    }
    gr_str_add(sql, ")VALUES");
    add_marks(sql, count);
}

static void format_now(char date[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static enum gradus_status add_row(struct gr_history *h, const struct gr_history_entry *entry,
                                  struct gradus_error *error)
{
    struct gr_str sql = {0};
    sqlite3_stmt *statement = NULL;
    char date[32];
    int index = 1;
    format_now(date);
    format_row_sql(&sql);
    enum gradus_status status = prepare(h, gr_str_text(&sql), &statement, error);
    if (status == GRADUS_OK) {
        sqlite3_bind_int64(statement, index++, entry->run);
        gr_history_bind_text(statement, index++, date);
        gr_history_bind_text(statement, index++, entry->file);
        gr_history_bind_text(statement, index++, entry->function);
        gr_history_bind_text(statement, index++, entry->file_hash);
        for (const struct gr_column *c = gr_columns; c->json; c++)
            if (gr_history_keeps(c))
                bind_cell(statement, index++, c, &entry->row);
        status = finish(h, statement, error);
    }
    gr_str_free(&sql);
    return status;
}

static enum gradus_status add_rival(struct gr_history *h, int64_t row,
                                    const struct gr_competitor *rival, struct gradus_error *error)
{
    const struct gr_peer_result *peer = &rival->peer;
    const struct gr_ratio *speedup = &rival->speedup;
    sqlite3_stmt *statement = NULL;
    enum gradus_status status =
        prepare(h,
                "INSERT INTO rivals(\"row\",name,version,core,threads,gflops,speedup_median,"
                "speedup_lo,speedup_hi,speedup_n)VALUES(?,?,?,?,?,?,?,?,?,?)",
                &statement, error);
    if (status != GRADUS_OK)
        return status;
    sqlite3_bind_int64(statement, 1, row);
    gr_history_bind_text(statement, 2, peer->name);
    gr_history_bind_text(statement, 3, peer->version);
    gr_history_bind_text(statement, 4, peer->core);
    sqlite3_bind_int(statement, 5, peer->threads);
    bind_real(statement, 6, peer->gflops, peer->gflops > 0);
    bind_real(statement, 7, speedup->median, speedup->n > 0);
    bind_real(statement, 8, speedup->lo, speedup->n > 0);
    bind_real(statement, 9, speedup->hi, speedup->n > 0);
    sqlite3_bind_int(statement, 10, speedup->n);
    return finish(h, statement, error);
}

enum gradus_status gr_history_add(struct gr_history *h, const struct gr_history_entry *entry,
                                  struct gradus_error *error)
{
    if (!gr_row_has_speed(&entry->row))
        return GRADUS_OK;
    enum gradus_status status = begin(h, error);
    if (status != GRADUS_OK)
        return status;
    status = add_row(h, entry, error);
    const int64_t row = sqlite3_last_insert_rowid(h->db);
    for (int i = 0; status == GRADUS_OK && i < entry->row.competitor_count; i++)
        status = add_rival(h, row, &entry->row.competitors[i], error);
    return end(h, status, error);
}

#endif
