/* history_data.c: the history as CSV and as JSON, as described in docs/json.md.
 * SPDX-License-Identifier: MIT */
#include "report/history_view.h"

#include "io/json.h"
#include "report/csv.h"

#include <inttypes.h>

/* ---- CSV ---- */

/* Appends the columns for where, when and by what the row was measured. The columns that any run
 * has follow. */
static void add_csv_entry(const struct gr_history_view *view, const struct gr_history_entry *entry,
                          struct gr_str *out)
{
    static const struct gr_history_run nothing;
    const struct gr_history_run *run = gr_history_run_of(view->list, entry);
    run = run ? run : &nothing;
    gr_csv_add_text(out, entry->date);
    gr_str_printf(out, "%" PRId64 ",", entry->run);
    gr_csv_add_text(out, run->title);
    gr_csv_add_text(out, run->machine);
    gr_csv_add_text(out, run->environment.gpu);
    gr_csv_add_text(out, run->environment.system);
    gr_csv_add_text(out, run->environment.version);
    gr_csv_add_text(out, run->environment.compiler);
    gr_csv_add_text(out, entry->file);
    gr_csv_add_text(out, entry->function);
    gr_csv_add_text(out, entry->file_hash);
    gr_csv_add_row(out, &entry->row);
    gr_csv_end_line(out);
}

void gr_history_csv(const struct gr_history_view *view, struct gr_str *out)
{
    gr_str_add(out,
               "date,run,run_title,machine,gpu,system,version,compiler,file,function,file_hash,");
    gr_csv_add_names(out);
    gr_csv_end_line(out);
    for (int i = 0; i < view->count; i++)
        for (int j = 0; j < view->series[i].count; j++)
            add_csv_entry(view, view->series[i].entries[j], out);
}

/* ---- JSON ---- */

static bool is_shown(const struct gr_history_view *view, int64_t run)
{
    for (int i = 0; i < view->count; i++)
        for (int j = 0; j < view->series[i].count; j++)
            if (view->series[i].entries[j]->run == run)
                return true;
    return false;
}

static void put_runs(struct gr_json *w, const struct gr_history_view *view)
{
    gr_json_open_array(w, "runs", GR_JSON_ONE_LINE);
    for (int i = 0; i < view->list->run_count; i++) {
        const struct gr_history_run *run = &view->list->runs[i];
        if (!is_shown(view, run->id))
            continue;
        gr_json_open_object(w, NULL, GR_JSON_LINES);
        gr_json_put_whole(w, "id", run->id);
        gr_json_put_text(w, "title", run->title);
        gr_json_put_text(w, "machine", run->machine);
        gr_json_put_environment(w, &run->environment);
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_entry(struct gr_json *w, const struct gr_history_entry *entry)
{
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_whole(w, "id", entry->id);
    gr_json_put_whole(w, "run", entry->run);
    gr_json_put_text(w, "date", entry->date);
    gr_json_put_text(w, "file", entry->file);
    gr_json_put_text(w, "function", entry->function);
    gr_json_put_text(w, "file_hash", entry->file_hash);
    gr_json_put_row(w, "row", &entry->row);
    gr_json_close(w);
}

void gr_history_json(const struct gr_history_view *view, struct gr_str *out)
{
    struct gr_json writer = {.out = out, .tabs = true}, *w = &writer;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-history");
    gr_json_put_whole(w, "schema_version", GR_HISTORY_SCHEMA);
    gr_json_put_text(w, "database", view->path);
    put_runs(w, view);
    gr_json_open_array(w, "rows", GR_JSON_ONE_LINE);
    for (int i = 0; i < view->count; i++)
        for (int j = 0; j < view->series[i].count; j++)
            put_entry(w, view->series[i].entries[j]);
    gr_json_close(w);
    gr_json_close(w);
    gr_str_add(out, "\n");
}
