/* json_write.c: writes a run as JSON; docs/json.md has the schema. SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "core/error.h"
#include "records/steady.h"
#include "records/sums.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

static void put_worst(struct gr_json *w, const struct gr_worst *worst)
{
    if (!worst->known) {
        gr_json_put_null(w, "worst");
        return;
    }
    open_object(w, "worst");
    gr_json_put_whole(w, "row", worst->row);
    gr_json_put_whole(w, "col", worst->col);
    put_element(w, "got", worst->got);
    put_element(w, "want", worst->want);
    put_element(w, "ratio", worst->ratio);
    put_element(w, "limit", worst->limit);
    gr_json_close(w);
}

static void put_time(struct gr_json *w, const struct gr_stat *time_ns, bool shown)
{
    if (!shown) {
        gr_json_put_null(w, "time_ns");
        return;
    }
    open_object(w, "time_ns");
    gr_json_put_real(w, "median", time_ns->median);
    gr_json_put_real(w, "min", time_ns->min);
    gr_json_put_real(w, "iqr", time_ns->iqr);
    gr_json_put_whole(w, "n", time_ns->n);
    gr_json_close(w);
}

static void put_peer_fields(struct gr_json *w, const struct gr_peer_result *peer)
{
    gr_json_put_text(w, "name", peer->name);
    gr_json_put_text(w, "version", peer->version);
    gr_json_put_text(w, "core", peer->core);
    gr_json_put_whole(w, "threads", peer->threads);
    put_known(w, "gflops", peer->gflops, peer->gflops > 0);
}

static void put_peer(struct gr_json *w, const struct gr_peer_result *peer)
{
    if (!peer->name[0]) {
        gr_json_put_null(w, "peer");
        return;
    }
    open_object(w, "peer");
    put_peer_fields(w, peer);
    gr_json_close(w);
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

static void put_rivals(struct gr_json *w, const struct gr_row *row, bool shown)
{
    open_array(w, "rivals");
    for (int i = 0; i < row->rival_count; i++) {
        open_object(w, NULL);
        put_peer_fields(w, &row->rivals[i].peer);
        put_speedup(w, &row->rivals[i].speedup, shown);
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_counts(struct gr_json *w, const struct gr_row *row)
{
    const struct gr_row_counts *c = &row->counts;
    if (row->verdict != GR_RIGHT || !c->known) {
        gr_json_put_null(w, "counts");
        return;
    }
    open_object(w, "counts");
    gr_json_put_bool(w, "sampled", c->sampled);
    put_known(w, "load_sectors_per_request", c->load_sectors, c->load_sectors > 0);
    put_known(w, "load_sectors_per_request_ideal", c->load_ideal, c->load_sectors > 0);
    put_known(w, "store_sectors_per_request", c->store_sectors, c->store_sectors > 0);
    put_known(w, "store_sectors_per_request_ideal", c->store_ideal, c->store_sectors > 0);
    gr_json_put_whole(w, "global_requests", c->requests);
    gr_json_put_whole(w, "global_sectors", c->sectors);
    gr_json_put_whole(w, "shared_wavefronts", c->wavefronts);
    gr_json_put_whole(w, "shared_conflicts", c->conflicts);
    put_known(w, "registers", c->registers, c->registers > 0);
    put_known(w, "occupancy", c->occupancy, c->occupancy > 0);
    gr_json_close(w);
}

static void put_traffic(struct gr_json *w, const struct gr_row_traffic *t, bool shown)
{
    if (!shown || t->l1 <= 0) {
        gr_json_put_null(w, "traffic");
        return;
    }
    open_object(w, "traffic");
    gr_json_put_real(w, "dram_bytes", t->dram);
    gr_json_put_real(w, "l2_bytes", t->l2);
    gr_json_put_real(w, "l1_bytes", t->l1);
    gr_json_put_real(w, "shared_bytes", t->shared);
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

static void put_asked(struct gr_json *w, const struct gr_row *row)
{
    const bool given = row->asked_m || row->asked_n || row->asked_k;
    open_object(w, "asked");
    gr_json_put_whole(w, "m", given ? row->asked_m : row->problem.m);
    gr_json_put_whole(w, "n", given ? row->asked_n : row->problem.n);
    gr_json_put_whole(w, "k", given ? row->asked_k : row->problem.k);
    gr_json_close(w);
}

static void put_problem(struct gr_json *w, const struct gr_row *row)
{
    const struct gr_problem *p = &row->problem;
    char types[64];
    gr_types_name(p->types, types, sizeof types);
    gr_json_put_text(w, "dtype", types);
    gr_json_put_text(w, "trans", gr_problem_trans(p));
    gr_json_put_whole(w, "m", p->m);
    gr_json_put_whole(w, "n", p->n);
    gr_json_put_whole(w, "k", p->k);
    gr_json_put_whole(w, "lda", p->lda);
    gr_json_put_whole(w, "ldb", p->ldb);
    gr_json_put_whole(w, "ldc", p->ldc);
    gr_json_put_real(w, "alpha", p->alpha);
    gr_json_put_real(w, "beta", p->beta);
    put_asked(w, row);
}

/* A row whose check fails must not show a speed. */
static void put_row(struct gr_json *w, const struct gr_row *row)
{
    const bool timed = row->verdict == GR_RIGHT && row->time_ns.n > 0;
    open_object(w, NULL);
    gr_json_put_text(w, "kernel", row->kernel ? row->kernel : "");
    gr_json_put_text(w, "title", row->title);
    gr_json_put_text(w, "path", row->path);
    gr_json_put_bool(w, "is_peer", row->is_peer);
    gr_json_put_text(w, "device", row->device ? row->device : "");
    put_problem(w, row);
    gr_json_put_whole(w, "threads", row->threads);
    gr_json_put_text(w, "cache", row->cold ? "cold" : "warm");
    gr_json_put_text(w, "variant", row->variant);
    gr_json_put_text(w, "flags", row->flags);
    gr_json_put_text(w, "verdict", gr_verdict_name(row->verdict));
    gr_json_put_text(w, "reason", row->reason);
    put_worst(w, &row->worst);
    gr_json_put_text(w, "checked_by", row->checked_by);
    put_time(w, &row->time_ns, timed);
    put_known(w, "gflops", row->gflops, timed);
    put_known(w, "peak_fraction", row->peak_fraction, timed && row->peak_fraction > 0);
    put_peer(w, &row->peer);
    put_speedup(w, &row->speedup, timed);
    if (row->rival_count)
        put_rivals(w, row, timed);
    put_known(w, "disturbed", row->disturbed, timed && row->disturbed >= 0);
    gr_json_put_bool(w, "unsteady", gr_row_is_unsteady(row));
    gr_json_put_bool(w, "simulated", row->simulated);
    put_counts(w, row);
    put_traffic(w, &row->traffic, row->verdict == GR_RIGHT);
    put_findings(w, &row->findings);
    gr_json_put_text(w, "log", row->log);
    gr_json_put_text(w, "command", row->command ? row->command : "");
    gr_json_put_text(w, "diagnose", row->diagnose);
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

static void put_environment(struct gr_json *w, const struct gr_environment *e)
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
        gr_json_put_whole(w, "rows", sum->rows);
        put_known(w, "ratio", sum->ratio, sum->rows > 0);
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
    put_environment(w, &run->environment);
    open_array(w, "rows");
    for (int i = 0; i < run->row_count; i++)
        put_row(w, &run->rows[i]);
    gr_json_close(w);
    if (run->sweep)
        put_sums(w, run);
    gr_json_close(w);
    gr_str_add(out, "\n");
    return out->failed ? gr_fail_memory(error, "the JSON", out->length) : GRADUS_OK;
}
