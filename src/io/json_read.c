/* json_read.c: reads a run from JSON; docs/json.md has the schema. The file is not trusted: each
 * field is checked for its name, type and range, and the first error is reported in one line.
 * SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "core/error.h"
#include "base/file.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { LONGEST_BYTES = 1 << 28 }; /* a run with a million rows is smaller */

#ifdef GRADUS_HAVE_CJSON

#include "io/json_field.h"
#include "records/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum gr_verdict read_verdict(struct gr_json_reader *r, const cJSON *o)
{
    static const enum gr_verdict verdicts[] = {
#define VERDICT(enumerator, name, text) enumerator,
        GR_VERDICT_LIST(VERDICT)
#undef VERDICT
    };
    const cJSON *item = gr_json_member(o, "verdict");
    for (size_t i = 0; cJSON_IsString(item) && i < sizeof verdicts / sizeof *verdicts; i++)
        if (strcmp(item->valuestring, gr_verdict_name(verdicts[i])) == 0)
            return verdicts[i];
    gr_json_refuse(r, "verdict", item, "a verdict (right, wrong, skip, …)");
    return GR_FAILED;
}

/* An unknown kind becomes a note, since a later version may have more kinds. */
static enum gr_finding_kind kind_of(const char *name)
{
    static const enum gr_finding_kind kinds[] = {
#define KIND(enumerator, kind_name, severity, meaning) enumerator,
        GR_FINDING_LIST(KIND)
#undef KIND
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, gr_finding_name(kinds[i])) == 0)
            return kinds[i];
    return GR_FIND_NOTE;
}

/* Files of older versions have no severity; the kind's own is used. */
static void read_severity(struct gr_json_reader *r, const cJSON *item, struct gr_finding *finding)
{
    static const enum gr_severity severities[] = {
#define SEVERITY(enumerator, severity_name, text) enumerator,
        GR_SEVERITY_LIST(SEVERITY)
#undef SEVERITY
    };
    char name[16] = "";
    if (gr_json_is_absent(item, "severity"))
        return;
    gr_json_read_name(r, item, "severity", name, sizeof name);
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
        if (strcmp(name, gr_severity_name(severities[i])) == 0)
            finding->severity = severities[i];
}

static void read_findings(struct gr_json_reader *r, const cJSON *o, struct gr_findings *findings)
{
    const cJSON *array = gr_json_read_array(r, o, "findings"), *item;
    int i = 0;
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        snprintf(field, sizeof field, "findings[%d]", i++);
        if (!cJSON_IsObject(item))
            gr_json_refuse(r, field, item, "an object");
        size_t outer = gr_json_enter(r, field);
        char *kind = gr_json_read_text(r, item, "kind", true),
             *text = gr_json_read_text(r, item, "text", true);
        int line = gr_json_is_absent(item, "line")
                       ? 0
                       : (int)gr_json_read_count(r, item, "line", 0, GR_JSON_LARGEST_INT);
        struct gr_finding *added =
            r->status ? NULL : gr_findings_add(findings, kind_of(kind), line, "%s", text);
        if (added)
            read_severity(r, item, added);
        if (added && !gr_json_is_absent(item, "array"))
            gr_json_read_name(r, item, "array", added->about, sizeof added->about);
        free(kind);
        free(text);
        gr_json_leave(r, outer);
    }
}

static void read_peer_fields(struct gr_json_reader *r, const cJSON *o, struct gr_peer_result *peer)
{
    gr_json_read_name(r, o, "name", peer->name, sizeof peer->name);
    gr_json_read_name(r, o, "version", peer->version, sizeof peer->version);
    gr_json_read_name(r, o, "core", peer->core, sizeof peer->core);
    if (!gr_json_is_absent(o, "threads"))
        peer->threads = (int)gr_json_read_count(r, o, "threads", 0, GR_JSON_LARGEST_INT);
    peer->gflops = gr_json_read_known(r, o, "gflops");
}

static void read_speedup(struct gr_json_reader *r, const cJSON *o, struct gr_ratio *speedup)
{
    o = gr_json_read_object(r, o, "speedup", false);
    if (!o)
        return;
    size_t outer = gr_json_enter(r, "speedup");
    speedup->median = gr_json_read_number(r, o, "median", 0, 1e300);
    speedup->lo = gr_json_read_number(r, o, "lo", 0, 1e300);
    speedup->hi = gr_json_read_number(r, o, "hi", 0, 1e300);
    speedup->n =
        gr_json_is_absent(o, "n") ? 1 : (int)gr_json_read_count(r, o, "n", 1, GR_JSON_LARGEST_INT);
    gr_json_leave(r, outer);
}

static void read_competitors(struct gr_json_reader *r, const cJSON *o, struct gr_row *row)
{
    if (gr_json_is_absent(o, "rivals"))
        return;
    const cJSON *array = gr_json_read_array(r, o, "rivals"), *item;
    int count = cJSON_GetArraySize(array);
    row->competitors = count ? calloc((size_t)count, sizeof *row->competitors) : NULL;
    if (count && !row->competitors)
        r->status = gr_fail_memory(r->error, r->file, (uint64_t)count * sizeof *row->competitors);
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        if (r->status)
            return;
        snprintf(field, sizeof field, "rivals[%d]", row->competitor_count);
        if (!cJSON_IsObject(item)) {
            gr_json_refuse(r, field, item, "an object");
            return;
        }
        struct gr_competitor *competitor = &row->competitors[row->competitor_count++];
        size_t outer = gr_json_enter(r, field);
        read_peer_fields(r, item, &competitor->peer);
        read_speedup(r, item, &competitor->speedup);
        gr_json_leave(r, outer);
    }
}

static void read_types(struct gr_json_reader *r, const cJSON *o, struct gr_row *row)
{
    char text[64] = "";
    gr_json_read_name(r, o, "dtype", text, sizeof text);
    if (!r->status && !gr_types_read(text, &row->problem.types))
        gr_json_refuse(r, "dtype", gr_json_member(o, "dtype"), "an element type (f32, f64, …)");
}

static void read_transposes(struct gr_json_reader *r, const cJSON *o, struct gr_row *row)
{
    char trans[4] = "";
    gr_json_read_name(r, o, "trans", trans, sizeof trans);
    if (!r->status && trans[0] && (strlen(trans) != 2 || strspn(trans, "nt") != 2))
        gr_json_refuse(r, "trans", gr_json_member(o, "trans"), "nn, nt, tn or tt");
    row->problem.trans_a = trans[0] == 't';
    row->problem.trans_b = trans[0] && trans[1] == 't';
}

static void read_cache(struct gr_json_reader *r, const cJSON *o, struct gr_row *row)
{
    char cache[8] = "";
    gr_json_read_name(r, o, "cache", cache, sizeof cache);
    row->cold = strcmp(cache, "cold") == 0;
    if (!r->status && !row->cold && strcmp(cache, "warm") != 0)
        gr_json_refuse(r, "cache", gr_json_member(o, "cache"), "\"cold\" or \"warm\"");
}

/* "unsteady" follows from the rest. */
static void read_derived(struct gr_json_reader *r, const cJSON *o, const char *field,
                         struct gr_row *row)
{
    if (strcmp(field, "dtype") == 0)
        read_types(r, o, row);
    else if (strcmp(field, "trans") == 0)
        read_transposes(r, o, row);
    else if (strcmp(field, "cache") == 0)
        read_cache(r, o, row);
    else if (strcmp(field, "verdict") == 0)
        row->verdict = read_verdict(r, o);
}

static void read_list(struct gr_json_reader *r, const cJSON *o, const char *field,
                      struct gr_row *row)
{
    if (strcmp(field, "findings") == 0)
        read_findings(r, o, &row->findings);
    else
        read_competitors(r, o, row);
}

static double read_real(struct gr_json_reader *r, const cJSON *o, const char *field, unsigned flags)
{
    if (flags & GR_COLUMN_REQUIRED)
        return gr_json_read_number(r, o, field, 0, 1e300);
    if (flags & GR_COLUMN_SHARE)
        return gr_json_is_absent(o, field) ? -1 : gr_json_read_number(r, o, field, 0, 1);
    if (flags & GR_COLUMN_SIGNED)
        return gr_json_is_absent(o, field) ? NAN : gr_json_read_number(r, o, field, -1e308, 1e308);
    return gr_json_read_known(r, o, field);
}

static int64_t read_whole(struct gr_json_reader *r, const cJSON *o, const char *field,
                          const struct gr_column *c, double most)
{
    const double least = c->flags & GR_COLUMN_COUNTS ? 1 : 0;
    if (!(c->flags & GR_COLUMN_REQUIRED) && gr_json_is_absent(o, field))
        return (int64_t)least;
    return gr_json_read_count(r, o, field, least, most);
}

static void read_column(struct gr_json_reader *r, const cJSON *o, const char *field,
                        const struct gr_column *c, struct gr_row *row)
{
    void *at = gr_column_member(c, row);
    const bool required = c->flags & GR_COLUMN_REQUIRED;
    switch (c->kind) {
    case GR_COLUMN_TEXT:
        *(char **)at = gr_json_read_text(r, o, field, required);
        break;
    case GR_COLUMN_NAME:
        gr_json_read_name(r, o, field, at, c->size);
        break;
    case GR_COLUMN_BOOL:
        *(bool *)at = gr_json_read_bool(r, o, field);
        break;
    case GR_COLUMN_INT:
        *(int *)at = (int)read_whole(r, o, field, c, GR_JSON_LARGEST_INT);
        break;
    case GR_COLUMN_INT64:
    case GR_COLUMN_REQUESTED:
        *(int64_t *)at = read_whole(r, o, field, c, GR_JSON_LARGEST_COUNT);
        break;
    case GR_COLUMN_REAL:
        *(double *)at = read_real(r, o, field, c->flags);
        break;
    case GR_COLUMN_ELEMENT:
        if (required || !gr_json_is_absent(o, field))
            *(double *)at = gr_json_read_element(r, o, field);
        break;
    case GR_COLUMN_DERIVED:
        read_derived(r, o, field, row);
        break;
    case GR_COLUMN_LIST:
        read_list(r, o, field, row);
        break;
    }
}

/* The columns of one object, from the first; they stay zero where it is null or not there. Returns
 * the one behind them. */
static const struct gr_column *read_object(struct gr_json_reader *r, const cJSON *o,
                                           const struct gr_column *first, size_t length,
                                           struct gr_row *row)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, first->json);
    const cJSON *object = gr_json_read_object(r, o, name, false);
    const struct gr_column *c = first;
    size_t outer = gr_json_enter(r, name);
    for (; c->json && strncmp(c->json, first->json, length + 1) == 0; c++)
        if (object)
            read_column(r, object, c->json + length + 1, c, row);
    gr_json_leave(r, outer);
    row->counts.known |= object && strcmp(name, "counts") == 0;
    row->worst.known |= object && strcmp(name, "worst") == 0;
    return c;
}

/* What a file may leave out: a dense product with alpha 1 and beta 0, of the requested size. */
static void complete_problem(struct gr_row *row)
{
    struct gr_problem *p = &row->problem;
    const struct gr_problem dense =
        gr_problem_dense(p->m, p->n, p->k, p->trans_a, p->trans_b, p->types);
    p->lda = p->lda ? p->lda : dense.lda;
    p->ldb = p->ldb ? p->ldb : dense.ldb;
    p->ldc = p->ldc ? p->ldc : dense.ldc;
    p->alpha = isnan(p->alpha) ? dense.alpha : p->alpha;
    p->beta = isnan(p->beta) ? dense.beta : p->beta;
    gr_row_requested(row, &row->requested_m, &row->requested_n, &row->requested_k);
}

static void read_row(struct gr_json_reader *r, const cJSON *o, struct gr_row *row)
{
    for (const struct gr_column *c = gr_columns; c->json;) {
        const size_t length = strcspn(c->json, ".");
        if (c->json[length]) {
            c = read_object(r, o, c, length, row);
        } else {
            read_column(r, o, c->json, c, row);
            c++;
        }
    }
    complete_problem(row);
}

static void read_rows(struct gr_json_reader *r, const cJSON *root, struct gr_run *run)
{
    const cJSON *array = gr_json_read_array(r, root, "rows"), *item;
    int i = 0;
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        if (r->status)
            break;
        snprintf(field, sizeof field, "rows[%d]", i++);
        if (!cJSON_IsObject(item)) {
            gr_json_refuse(r, field, item, "an object");
            break;
        }
        struct gr_row *row = gr_run_add(run);
        if (!row) {
            r->status = gr_fail_memory(r->error, r->file, sizeof *row);
            break;
        }
        size_t outer = gr_json_enter(r, field);
        read_row(r, item, row);
        gr_json_leave(r, outer);
    }
}

static void read_ceilings(struct gr_json_reader *r, const cJSON *o, struct gr_environment *e)
{
    if (gr_json_is_absent(o, "ceilings"))
        return;
    const cJSON *array = gr_json_read_array(r, o, "ceilings"), *item;
    int count = cJSON_GetArraySize(array);
    if (r->status || !count)
        return;
    e->ceilings = calloc((size_t)count, sizeof *e->ceilings);
    if (!e->ceilings) {
        r->status = gr_fail_memory(r->error, r->file, (uint64_t)count * sizeof *e->ceilings);
        return;
    }
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        struct gr_ceiling *ceiling = &e->ceilings[e->ceiling_count];
        snprintf(field, sizeof field, "ceilings[%d]", e->ceiling_count++);
        size_t outer = gr_json_enter(r, field);
        gr_json_read_name(r, item, "name", ceiling->name, sizeof ceiling->name);
        gr_json_read_name(r, item, "unit", ceiling->unit, sizeof ceiling->unit);
        ceiling->value = gr_json_read_number(r, item, "value", 0, 1e300);
        ceiling->unsteady = gr_json_read_bool(r, item, "unsteady");
        gr_json_leave(r, outer);
    }
}

static void read_environment(struct gr_json_reader *r, const cJSON *root, struct gr_environment *e)
{
    const cJSON *o = gr_json_read_object(r, root, "environment", true);
    if (!o)
        return;
    size_t outer = gr_json_enter(r, "environment");
    e->version = gr_json_read_text(r, o, "version", false);
    e->date = gr_json_read_text(r, o, "date", false);
    e->system = gr_json_read_text(r, o, "system", false);
    e->cpu = gr_json_read_text(r, o, "cpu", false);
    e->isa = gr_json_read_text(r, o, "isa", false);
    e->cores = gr_json_is_absent(o, "cores")
                   ? 0
                   : (int)gr_json_read_count(r, o, "cores", 0, GR_JSON_LARGEST_INT);
    e->caches = gr_json_read_text(r, o, "caches", false);
    e->gpu = gr_json_read_text(r, o, "gpu", false);
    e->compiler = gr_json_read_text(r, o, "compiler", false);
    e->fill = gr_json_read_text(r, o, "fill", false);
    e->command = gr_json_read_text(r, o, "command", false);
    char *seed = gr_json_read_text(r, o, "seed", false), *end = seed;
    errno = 0;
    e->seed = seed && *seed >= '0' && *seed <= '9' ? strtoull(seed, &end, 10) : 0;
    if (seed && (end == seed || *end || errno))
        gr_json_refuse(r, "seed", gr_json_member(o, "seed"), "64 bits in decimal, as a string");
    free(seed);
    read_ceilings(r, o, e);
    gr_json_leave(r, outer);
}

static void read_schema(struct gr_json_reader *r, const cJSON *root)
{
    const cJSON *schema = gr_json_member(root, "schema"),
                *version = gr_json_member(root, "schema_version");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, GR_JSON_SCHEMA) != 0)
        gr_json_refuse(r, "schema", schema,
                       "\"" GR_JSON_SCHEMA "\": a file that gradus --format json wrote");
    if (!cJSON_IsNumber(version) || version->valuedouble != GR_JSON_SCHEMA_VERSION) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "%d: make the file again with this gradus",
                 GR_JSON_SCHEMA_VERSION);
        gr_json_refuse(r, "schema_version", version, wanted);
    }
}

/* "old.json:12:5: not JSON", with the place where the parser stopped. */
static enum gradus_status refuse_syntax(const char *name, const char *text, const char *at,
                                        struct gradus_error *error)
{
    int line = 1;
    const char *begin = text;
    for (const char *p = text; p < at; p++) {
        if (*p == '\n') {
            line++;
            begin = p + 1;
        }
    }
    return gr_fail(error, GRADUS_INVALID,
                   "%s:%d:%d: this is not JSON, wanted a file that gradus --format json wrote",
                   name, line, (int)(at - begin) + 1);
}

enum gradus_status gr_json_parse_run(const char *name, const char *text, size_t length,
                                     struct gr_run *run, struct gradus_error *error)
{
    struct gr_json_reader r = {.file = name, .error = error};
    const char *end = text;
    *run = (struct gr_run){0};
    cJSON *root = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    if (root)
        for (; end < text + length && strchr(" \t\r\n", *end) && *end; end++)
            ;
    if (!root || end != text + length) {
        cJSON_Delete(root);
        return refuse_syntax(name, text, end, error);
    }
    if (!cJSON_IsObject(root))
        gr_json_refuse(&r, "the whole", root, "an object");
    read_schema(&r, root);
    if (!r.status)
        run->title = gr_json_read_text(&r, root, "title", false);
    run->sweep = !gr_json_is_absent(root, "sums");
    run->by_work = !gr_json_is_absent(root, "by_work") && gr_json_read_bool(&r, root, "by_work");
    run->stopped = gr_json_read_text(&r, root, "stopped_by", false);
    if (!gr_json_is_absent(root, "rows_planned"))
        run->planned = (int)gr_json_read_count(&r, root, "rows_planned", 0, GR_JSON_LARGEST_INT);
    read_environment(&r, root, &run->environment);
    read_rows(&r, root, run);
    cJSON_Delete(root);
    if (r.status)
        gr_run_free(run);
    return r.status;
}

#endif

enum gradus_status gr_json_read_run(const char *path, struct gr_run *run,
                                    struct gradus_error *error)
{
    struct stat file;
    char *text;
    size_t length;
    *run = (struct gr_run){0};
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISFIFO(file.st_mode))
        return gr_fail(error, GRADUS_INVALID, "%s: not a file; wanted JSON that gradus wrote",
                       path);
    if (stat(path, &file) == 0 && file.st_size > LONGEST_BYTES)
        return gr_fail(error, GRADUS_INVALID, "%s: found %lld bytes, wanted at most %d", path,
                       (long long)file.st_size, LONGEST_BYTES);
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    if (status)
        return status;
    status = gr_json_parse_run(path, text, length, run, error);
    free(text);
    return status;
}
