/* json_write.c: writes a run as JSON; docs/json.md has the schema. SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "core/error.h"
#include "records/columns.h"
#include "records/sums.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void open_object(struct gr_json *w, const char *name)
{
    gr_json_open_object(w, name, GR_JSON_LINES);
}

static void open_array(struct gr_json *w, const char *name)
{
    gr_json_open_array(w, name, GR_JSON_ONE_LINE);
}

static void put_known(struct gr_json *w, const char *name, double x, bool known)
{
    gr_json_put_real(w, name, known ? x : NAN);
}

/* An element of C, which may be NaN or infinite. */
static void put_element(struct gr_json *w, const char *name, double x)
{
    if (isfinite(x))
        gr_json_put_real(w, name, x);
    else
        gr_json_put_text(w, name, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void put_peer_fields(struct gr_json *w, const struct gr_peer_result *peer)
{
    gr_json_put_text(w, "name", peer->name);
    gr_json_put_text(w, "version", peer->version);
    gr_json_put_text(w, "core", peer->core);
    gr_json_put_whole(w, "threads", peer->threads);
    put_known(w, "gflops", peer->gflops, peer->gflops > 0);
}

static void put_speedup(struct gr_json *w, const struct gr_ratio *ratio, bool shown)
{
    if (!shown || ratio->n <= 0) {
        gr_json_put_null(w, "speedup");
        return;
    }
    open_object(w, "speedup");
    gr_json_put_real(w, "median", ratio->median);
    gr_json_put_real(w, "lo", ratio->lo);
    gr_json_put_real(w, "hi", ratio->hi);
    gr_json_put_whole(w, "n", ratio->n);
    gr_json_close(w);
}

static void put_competitors(struct gr_json *w, const struct gr_row *row, bool shown)
{
    open_array(w, "rivals");
    for (int i = 0; i < row->competitor_count; i++) {
        open_object(w, NULL);
        put_peer_fields(w, &row->competitors[i].peer);
        put_speedup(w, &row->competitors[i].speedup, shown);
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_findings(struct gr_json *w, const struct gr_findings *findings)
{
    open_array(w, "findings");
    for (int i = 0; i < findings->count; i++) {
        const struct gr_finding *finding = &findings->items[i];
        open_object(w, NULL);
        gr_json_put_text(w, "kind", gr_finding_name(finding->kind));
        gr_json_put_text(w, "severity", gr_severity_name(finding->severity));
        put_known(w, "line", finding->line, finding->line > 0);
        gr_json_put_text(w, "array", *finding->about ? finding->about : NULL);
        gr_json_put_text(w, "text", finding->text ? finding->text : "");
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_cell(struct gr_json *w, const char *name, const struct gr_column *column,
                     const struct gr_row *row)
{
    struct gr_cell cell;
    gr_column_cell(column, row, &cell);
    switch (cell.kind) {
    case GR_CELL_TEXT:
        gr_json_put_text(w, name, cell.text);
        break;
    case GR_CELL_BOOL:
        gr_json_put_bool(w, name, cell.truth);
        break;
    case GR_CELL_WHOLE:
        gr_json_put_whole(w, name, cell.whole);
        break;
    case GR_CELL_REAL:
        if (column->kind == GR_COLUMN_ELEMENT)
            put_element(w, name, cell.real);
        else
            gr_json_put_real(w, name, cell.real);
        break;
    default:
        if (column->kind == GR_COLUMN_TEXT && (column->flags & GR_COLUMN_REQUIRED))
            gr_json_put_text(w, name, "");
        else
            gr_json_put_null(w, name);
    }
}

static void put_list(struct gr_json *w, const struct gr_column *column, const struct gr_row *row)
{
    if (strcmp(column->json, "findings") == 0)
        put_findings(w, &row->findings);
    else if (row->competitor_count)
        put_competitors(w, row, gr_row_has_speed(row));
}

/* The columns of one object, from the first: null as a whole where they are not known. Returns the
 * one behind them. */
static const struct gr_column *put_object(struct gr_json *w, const struct gr_column *first,
                                          size_t length, const struct gr_row *row)
{
    char name[32];
    const struct gr_column *c = first;
    const bool known = !first->known || first->known(row);
    snprintf(name, sizeof name, "%.*s", (int)length, first->json);
    if (known)
        open_object(w, name);
    else
        gr_json_put_null(w, name);
    for (; c->json && strncmp(c->json, first->json, length + 1) == 0; c++)
        if (known)
            put_cell(w, c->json + length + 1, c, row);
    if (known)
        gr_json_close(w);
    return c;
}

/* A row whose check fails must not show a speed. */
void gr_json_put_row(struct gr_json *w, const char *name, const struct gr_row *row)
{
    open_object(w, name);
    for (const struct gr_column *c = gr_columns; c->json;) {
        const size_t length = strcspn(c->json, ".");
        if (c->json[length]) {
            c = put_object(w, c, length, row);
            continue;
        }
        if (c->kind == GR_COLUMN_LIST)
            put_list(w, c, row);
        else
            put_cell(w, c->json, c, row);
        c++;
    }
    gr_json_close(w);
}

static void put_roofs(struct gr_json *w, const struct gr_roofs *r)
{
    if (r->dram_gbps <= 0)
        return;
    open_object(w, "roofs");
    gr_json_put_real(w, "f32_gflops", r->gflops_f32);
    gr_json_put_real(w, "f64_gflops", r->gflops_f64);
    gr_json_put_real(w, "dram_gbps", r->dram_gbps);
    gr_json_put_real(w, "l2_gbps", r->l2_gbps);
    gr_json_put_real(w, "l1_gbps", r->l1_gbps);
    gr_json_put_real(w, "shared_gbps", r->shared_gbps);
    gr_json_close(w);
}

void gr_json_put_environment(struct gr_json *w, const struct gr_environment *e)
{
    char seed[24];
    open_object(w, "environment");
    gr_json_put_text(w, "version", e->version);
    gr_json_put_text(w, "date", e->date);
    gr_json_put_text(w, "system", e->system);
    gr_json_put_text(w, "cpu", e->cpu);
    gr_json_put_text(w, "isa", e->isa);
    put_known(w, "cores", e->cores, e->cores > 0);
    gr_json_put_text(w, "caches", e->caches);
    if (e->gpu)
        gr_json_put_text(w, "gpu", e->gpu);
    gr_json_put_text(w, "compiler", e->compiler);
    gr_json_put_text(w, "fill", e->fill);
    /* a string, because a reader's double would round 64 bits */
    snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
    gr_json_put_text(w, "seed", seed);
    open_array(w, "ceilings");
    for (int i = 0; i < e->ceiling_count; i++) {
        open_object(w, NULL);
        gr_json_put_text(w, "name", e->ceilings[i].name);
        gr_json_put_real(w, "value", e->ceilings[i].value);
        gr_json_put_text(w, "unit", e->ceilings[i].unit);
        gr_json_put_bool(w, "unsteady", e->ceilings[i].unsteady);
        gr_json_close(w);
    }
    gr_json_close(w);
    put_roofs(w, &e->roofs);
    gr_json_put_text(w, "command", e->command);
    gr_json_close(w);
}

/* The geometric means of a sweep. */
static void put_sums(struct gr_json *w, const struct gr_run *run)
{
    struct gr_sums sums;
    gr_sums_make(run, &sums);
    open_array(w, "sums");
    for (int i = 0; i < sums.count; i++) {
        const struct gr_sum *sum = &sums.items[i];
        open_object(w, NULL);
        gr_json_put_text(w, "dtype", sum->all_types ? NULL : gr_types_word(sum->types));
        put_known(w, "threads", sum->threads, sum->threads > 0);
        gr_json_put_whole(w, "callers", sum->callers);
        gr_json_put_text(w, "work", sum->work ? gr_work_words(sum->work) : NULL);
        gr_json_put_whole(w, "rows", sum->rows);
        put_known(w, "ratio", sum->ratio, sum->rows > 0);
        put_known(w, "tenth", sum->tenth, sum->rows > 0);
        put_known(w, "twentieth", sum->twentieth, sum->rows > 0);
        put_known(w, "lowest", sum->lowest, sum->rows > 0);
        gr_json_put_whole(w, "below", sum->below);
        gr_json_put_whole(w, "losing", sum->losing);
        gr_json_put_whole(w, "unsteady", sum->unsteady);
        gr_json_close(w);
    }
    gr_json_close(w);
}

enum gradus_status gr_json_write_run(const struct gr_run *run, struct gr_str *out,
                                     struct gradus_error *error)
{
    struct gr_json writer = {.out = out, .tabs = true}, *w = &writer;
    open_object(w, NULL);
    gr_json_put_text(w, "schema", GR_JSON_SCHEMA);
    gr_json_put_whole(w, "schema_version", GR_JSON_SCHEMA_VERSION);
    gr_json_put_text(w, "title", run->title);
    gr_json_put_bool(w, "partial", run->stopped != NULL);
    gr_json_put_whole(w, "rows_planned", run->planned ? run->planned : run->row_count);
    gr_json_put_text(w, "stopped_by", run->stopped);
    if (run->sweep)
        gr_json_put_bool(w, "by_work", run->by_work);
    gr_json_put_environment(w, &run->environment);
    open_array(w, "rows");
    for (int i = 0; i < run->row_count; i++)
        gr_json_put_row(w, NULL, &run->rows[i]);
    gr_json_close(w);
    if (run->sweep)
        put_sums(w, run);
    gr_json_close(w);
    gr_str_add(out, "\n");
    return out->failed ? gr_fail_memory(error, "the JSON", out->length) : GRADUS_OK;
}
