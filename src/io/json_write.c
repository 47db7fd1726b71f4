/* json_write.c: a run to JSON, after docs/json.md. SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "base/error.h"
#include "base/utf8.h"
#include "core/sums.h"

#ifdef GRADUS_HAVE_CJSON

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Every put_ takes ownership of what it puts; out of memory is remembered in `failed` and asked for
 * once. */
struct writer {
    bool failed;
};

static void put(struct writer *w, cJSON *object, const char *name, cJSON *item)
{
    if (item && cJSON_AddItemToObject(object, name, item))
        return;
    cJSON_Delete(item);
    w->failed = true;
}

static void append(struct writer *w, cJSON *array, cJSON *item)
{
    if (item && cJSON_AddItemToArray(array, item))
        return;
    cJSON_Delete(item);
    w->failed = true;
}

/* cJSON copies bytes as they are; JSON must be UTF-8. */
static void put_text(struct writer *w, cJSON *object, const char *name, const char *text)
{
    struct gr_str clean = {0};
    if (text)
        gr_str_add_utf8(&clean, text);
    put(w, object, name, text ? cJSON_CreateString(gr_str_text(&clean)) : cJSON_CreateNull());
    w->failed |= clean.failed;
    gr_str_free(&clean);
}

/* JSON has no NaN and no infinity: a measurement that is neither is null. */
static void put_number(struct writer *w, cJSON *object, const char *name, double x)
{
    put(w, object, name, isfinite(x) ? cJSON_CreateNumber(x) : cJSON_CreateNull());
}

static void put_known(struct writer *w, cJSON *object, const char *name, double x, bool known)
{
    put_number(w, object, name, known ? x : NAN);
}

/* For an element of C, where NaN is the very news. */
static void put_element(struct writer *w, cJSON *object, const char *name, double x)
{
    if (isfinite(x))
        put_number(w, object, name, x);
    else
        put_text(w, object, name, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static void put_bool(struct writer *w, cJSON *object, const char *name, bool x)
{
    put(w, object, name, cJSON_CreateBool(x));
}

static cJSON *worst_of(struct writer *w, const struct gr_worst *worst)
{
    cJSON *o = worst->known ? cJSON_CreateObject() : cJSON_CreateNull();
    if (!o || !worst->known)
        return o;
    put_number(w, o, "row", (double)worst->row);
    put_number(w, o, "col", (double)worst->col);
    put_element(w, o, "got", worst->got);
    put_element(w, o, "want", worst->want);
    put_element(w, o, "ratio", worst->ratio);
    put_element(w, o, "limit", worst->limit);
    return o;
}

static cJSON *time_of(struct writer *w, const struct gr_stat *time_ns, bool shown)
{
    cJSON *o = shown ? cJSON_CreateObject() : cJSON_CreateNull();
    if (!o || !shown)
        return o;
    put_number(w, o, "median", time_ns->median);
    put_number(w, o, "min", time_ns->min);
    put_number(w, o, "iqr", time_ns->iqr);
    put_number(w, o, "n", time_ns->n);
    return o;
}

static cJSON *peer_of(struct writer *w, const struct gr_peer_result *peer)
{
    bool known = peer->name[0] != 0;
    cJSON *o = known ? cJSON_CreateObject() : cJSON_CreateNull();
    if (!o || !known)
        return o;
    put_text(w, o, "name", peer->name);
    put_text(w, o, "version", peer->version);
    put_text(w, o, "core", peer->core);
    put_number(w, o, "threads", peer->threads);
    put_known(w, o, "gflops", peer->gflops, peer->gflops > 0);
    return o;
}

static cJSON *speedup_of(struct writer *w, const struct gr_ratio *ratio, bool shown)
{
    shown = shown && ratio->n > 0;
    cJSON *o = shown ? cJSON_CreateObject() : cJSON_CreateNull();
    if (!o || !shown)
        return o;
    put_number(w, o, "median", ratio->median);
    put_number(w, o, "lo", ratio->lo);
    put_number(w, o, "hi", ratio->hi);
    put_number(w, o, "n", ratio->n);
    return o;
}

static cJSON *rivals_of(struct writer *w, const struct gr_row *row, bool shown)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; array && i < row->rival_count; i++) {
        cJSON *o = peer_of(w, &row->rivals[i].peer);
        if (cJSON_IsObject(o))
            put(w, o, "speedup", speedup_of(w, &row->rivals[i].speedup, shown));
        append(w, array, o);
    }
    return array;
}

static cJSON *counts_of(struct writer *w, const struct gr_row *row)
{
    const struct gr_row_counts *c = &row->counts;
    bool shown = row->verdict == GR_RIGHT && c->known;
    cJSON *o = shown ? cJSON_CreateObject() : cJSON_CreateNull();
    if (!o || !shown)
        return o;
    put_bool(w, o, "sampled", c->sampled);
    put_known(w, o, "load_sectors_per_request", c->load_sectors, c->load_sectors > 0);
    put_known(w, o, "load_sectors_per_request_ideal", c->load_ideal, c->load_sectors > 0);
    put_known(w, o, "store_sectors_per_request", c->store_sectors, c->store_sectors > 0);
    put_known(w, o, "store_sectors_per_request_ideal", c->store_ideal, c->store_sectors > 0);
    put_number(w, o, "shared_conflicts", (double)c->conflicts);
    put_known(w, o, "registers", c->registers, c->registers > 0);
    put_known(w, o, "occupancy", c->occupancy, c->occupancy > 0);
    return o;
}

static cJSON *findings_of(struct writer *w, const struct gr_findings *findings)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; array && i < findings->count; i++) {
        const struct gr_finding *finding = &findings->items[i];
        cJSON *o = cJSON_CreateObject();
        if (o) {
            put_text(w, o, "kind", gr_finding_name(finding->kind));
            put_known(w, o, "line", finding->line, finding->line > 0);
            put_text(w, o, "text", finding->text ? finding->text : "");
        }
        append(w, array, o);
    }
    return array;
}

static cJSON *asked_of(struct writer *w, const struct gr_row *row)
{
    bool given = row->asked_m || row->asked_n || row->asked_k;
    cJSON *o = cJSON_CreateObject();
    if (!o)
        return NULL;
    put_number(w, o, "m", (double)(given ? row->asked_m : row->problem.m));
    put_number(w, o, "n", (double)(given ? row->asked_n : row->problem.n));
    put_number(w, o, "k", (double)(given ? row->asked_k : row->problem.k));
    return o;
}

static void put_problem(struct writer *w, cJSON *o, const struct gr_row *row)
{
    const struct gr_problem *p = &row->problem;
    char types[64];
    gr_types_name(p->types, types, sizeof types);
    put_text(w, o, "dtype", types);
    put_text(w, o, "trans", gr_problem_trans(p));
    put_number(w, o, "m", (double)p->m);
    put_number(w, o, "n", (double)p->n);
    put_number(w, o, "k", (double)p->k);
    put_number(w, o, "lda", (double)p->lda);
    put_number(w, o, "ldb", (double)p->ldb);
    put_number(w, o, "ldc", (double)p->ldc);
    put_number(w, o, "alpha", p->alpha);
    put_number(w, o, "beta", p->beta);
    put(w, o, "asked", asked_of(w, row));
}

/* The law: a row whose check fails shows no speed. */
static cJSON *row_of(struct writer *w, const struct gr_row *row)
{
    bool timed = row->verdict == GR_RIGHT && row->time_ns.n > 0;
    cJSON *o = cJSON_CreateObject();
    if (!o)
        return NULL;
    put_text(w, o, "kernel", row->kernel ? row->kernel : "");
    put_text(w, o, "title", row->title);
    put_text(w, o, "path", row->path);
    put_bool(w, o, "is_peer", row->is_peer);
    put_text(w, o, "device", row->device ? row->device : "");
    put_problem(w, o, row);
    put_number(w, o, "threads", row->threads);
    put_text(w, o, "cache", row->cold ? "cold" : "warm");
    put_text(w, o, "variant", row->variant);
    put_text(w, o, "flags", row->flags);
    put_text(w, o, "verdict", gr_verdict_name(row->verdict));
    put_text(w, o, "reason", row->reason);
    put(w, o, "worst", worst_of(w, &row->worst));
    put_text(w, o, "checked_by", row->checked_by);
    put(w, o, "time_ns", time_of(w, &row->time_ns, timed));
    put_known(w, o, "gflops", row->gflops, timed);
    put_known(w, o, "peak_fraction", row->peak_fraction, timed && row->peak_fraction > 0);
    put(w, o, "peer", peer_of(w, &row->peer));
    put(w, o, "speedup", speedup_of(w, &row->speedup, timed));
    if (row->rival_count)
        put(w, o, "rivals", rivals_of(w, row, timed));
    put_bool(w, o, "simulated", row->simulated);
    put(w, o, "counts", counts_of(w, row));
    put(w, o, "findings", findings_of(w, &row->findings));
    put_text(w, o, "log", row->log);
    put_text(w, o, "command", row->command ? row->command : "");
    return o;
}

static cJSON *environment_of(struct writer *w, const struct gr_environment *e)
{
    char seed[24];
    cJSON *o = cJSON_CreateObject(), *ceilings = cJSON_CreateArray();
    if (!o || !ceilings) {
        cJSON_Delete(o);
        cJSON_Delete(ceilings);
        return NULL;
    }
    put_text(w, o, "version", e->version);
    put_text(w, o, "date", e->date);
    put_text(w, o, "system", e->system);
    put_text(w, o, "cpu", e->cpu);
    put_text(w, o, "isa", e->isa);
    put_known(w, o, "cores", e->cores, e->cores > 0);
    put_text(w, o, "caches", e->caches);
    if (e->gpu)
        put_text(w, o, "gpu", e->gpu);
    put_text(w, o, "compiler", e->compiler);
    put_text(w, o, "fill", e->fill);
    /* 64 bits: a reader's double would round them. */
    snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
    put_text(w, o, "seed", seed);
    for (int i = 0; i < e->ceiling_count; i++) {
        cJSON *ceiling = cJSON_CreateObject();
        if (ceiling) {
            put_text(w, ceiling, "name", e->ceilings[i].name);
            put_number(w, ceiling, "value", e->ceilings[i].value);
            put_text(w, ceiling, "unit", e->ceilings[i].unit);
        }
        append(w, ceilings, ceiling);
    }
    put(w, o, "ceilings", ceilings);
    put_text(w, o, "command", e->command);
    return o;
}

/* A sweep's geometric means. */
static cJSON *sums_of(struct writer *w, const struct gr_run *run)
{
    struct gr_sums sums;
    cJSON *array = cJSON_CreateArray();
    gr_sums_make(run, &sums);
    for (int i = 0; array && i < sums.count; i++) {
        const struct gr_sum *sum = &sums.items[i];
        cJSON *o = cJSON_CreateObject();
        if (o) {
            put_text(w, o, "dtype", sum->all_types ? NULL : gr_types_word(sum->types));
            put_known(w, o, "threads", sum->threads, sum->threads > 0);
            put_number(w, o, "rows", sum->rows);
            put_number(w, o, "ratio", sum->ratio);
            put_number(w, o, "losing", sum->losing);
        }
        append(w, array, o);
    }
    return array;
}

enum gradus_status gr_json_write_run(const struct gr_run *run, struct gr_str *out,
                                     struct gradus_error *error)
{
    struct writer writer = {0}, *w = &writer;
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_CreateArray();
    w->failed = !root || !rows;
    for (int i = 0; rows && i < run->row_count; i++)
        append(w, rows, row_of(w, &run->rows[i]));
    if (!w->failed) {
        put_text(w, root, "schema", GR_JSON_SCHEMA);
        put_number(w, root, "schema_version", GR_JSON_SCHEMA_VERSION);
        put_text(w, root, "title", run->title);
        put(w, root, "environment", environment_of(w, &run->environment));
        put(w, root, "rows", rows);
        if (run->sweep)
            put(w, root, "sums", sums_of(w, run));
        rows = NULL;
    }
    char *text = w->failed ? NULL : cJSON_Print(root);
    cJSON_Delete(rows);
    cJSON_Delete(root);
    if (text) {
        gr_str_add(out, text);
        gr_str_add(out, "\n");
    }
    bool written = text && !out->failed;
    cJSON_free(text);
    return written ? GRADUS_OK : gr_fail_memory(error, "the JSON", out->length);
}

#endif
