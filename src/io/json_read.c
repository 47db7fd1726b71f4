/* json_read.c: a run from JSON, after docs/json.md. The file may be anybody's: each field is asked
 * for by name, type and range, and the first that does not fit is said in a line.
 * SPDX-License-Identifier: MIT */
#include "io/json.h"

#include "base/error.h"
#include "base/file.h"

#ifdef GRADUS_HAVE_CJSON

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_BYTES = 1 << 28 }; /* a run of a million rows is below it */
#define LARGEST_COUNT 0x1p53      /* up to here a double counts every integer */
#define LARGEST_INT 2147483647.0

/* Where we are, and the first thing that did not fit; after that the readers do nothing. */
struct reader {
    const char *file;
    char where[96]; /* "rows[3].", "environment.ceilings[0].", or "" */
    enum gradus_status status;
    struct gradus_error *error;
};

/* What was found, short enough for a message. */
static void describe(const cJSON *item, char *text, size_t size)
{
    if (!item)
        snprintf(text, size, "nothing");
    else if (cJSON_IsString(item))
        snprintf(text, size, "\"%.40s%s\"", item->valuestring,
                 strlen(item->valuestring) > 40 ? "..." : "");
    else if (cJSON_IsNumber(item))
        snprintf(text, size, "%.17g", item->valuedouble);
    else
        snprintf(text, size, "%s",
                 cJSON_IsNull(item)     ? "null"
                 : cJSON_IsBool(item)   ? (cJSON_IsTrue(item) ? "true" : "false")
                 : cJSON_IsArray(item)  ? "an array"
                 : cJSON_IsObject(item) ? "an object"
                                        : "something else");
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
}

static void refuse(struct reader *r, const char *field, const cJSON *item, const char *wanted)
{
    char found[96];
    if (r->status)
        return;
    describe(item, found, sizeof found);
    r->status = gr_fail(r->error, GRADUS_INVALID, "%s: %s%s: found %s, wanted %s", r->file,
                        r->where, field, found, wanted);
}

/* Appends "field." to where we are; the return value is for leave. */
static size_t enter(struct reader *r, const char *field)
{
    size_t length = strlen(r->where);
    snprintf(r->where + length, sizeof r->where - length, "%s.", field);
    return length;
}

static void leave(struct reader *r, size_t length)
{
    r->where[length] = 0;
}

static const cJSON *member(const cJSON *object, const char *field)
{
    return cJSON_GetObjectItemCaseSensitive(object, field);
}

/* A text, owned by the caller; null where the file has null or, unless `required`, nothing. */
static char *read_text(struct reader *r, const cJSON *object, const char *field, bool required)
{
    const cJSON *item = member(object, field);
    if (r->status || (!required && (!item || cJSON_IsNull(item))))
        return NULL;
    if (!cJSON_IsString(item)) {
        refuse(r, field, item, required ? "a string" : "a string or null");
        return NULL;
    }
    char *text = gr_strdup(item->valuestring);
    if (!text)
        r->status = gr_fail_memory(r->error, r->file, strlen(item->valuestring));
    return text;
}

/* A text into a fixed buffer; "" where the file has null or nothing. */
static void read_name(struct reader *r, const cJSON *object, const char *field, char *name,
                      size_t size)
{
    char *text = read_text(r, object, field, false), wanted[48];
    if (text && strlen(text) >= size) {
        snprintf(wanted, sizeof wanted, "at most %zu bytes", size - 1);
        refuse(r, field, member(object, field), wanted);
    } else {
        snprintf(name, size, "%s", text ? text : "");
    }
    free(text);
}

static double read_number(struct reader *r, const cJSON *object, const char *field, double least,
                          double most)
{
    const cJSON *item = member(object, field);
    char wanted[80];
    if (r->status)
        return 0;
    if (cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most)
        return item->valuedouble;
    snprintf(wanted, sizeof wanted, "a number from %.6g to %.6g", least, most);
    refuse(r, field, item, wanted);
    return 0;
}

static int64_t read_count(struct reader *r, const cJSON *object, const char *field, double least,
                          double most)
{
    double x = read_number(r, object, field, least, most);
    if (x != floor(x)) {
        refuse(r, field, member(object, field), "a whole number");
        return 0;
    }
    return (int64_t)x;
}

static bool is_absent(const cJSON *object, const char *field)
{
    const cJSON *item = member(object, field);
    return !item || cJSON_IsNull(item);
}

/* 0 where the file has null or nothing. */
static double read_known(struct reader *r, const cJSON *object, const char *field)
{
    return is_absent(object, field) ? 0 : read_number(r, object, field, 0, 1e300);
}

/* A number, or "nan", "inf", "-inf". */
static double read_element(struct reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = member(object, field);
    if (!cJSON_IsString(item))
        return read_number(r, object, field, -1e308, 1e308);
    if (strcmp(item->valuestring, "nan") == 0)
        return NAN;
    if (strcmp(item->valuestring, "inf") == 0)
        return INFINITY;
    if (strcmp(item->valuestring, "-inf") == 0)
        return -INFINITY;
    refuse(r, field, item, "a number, \"nan\", \"inf\" or \"-inf\"");
    return 0;
}

/* The object `field`; null where it is null, or where it is missing and may be. */
static const cJSON *read_object(struct reader *r, const cJSON *object, const char *field,
                                bool required)
{
    const cJSON *item = member(object, field);
    if (r->status || (!required && (!item || cJSON_IsNull(item))))
        return NULL;
    if (cJSON_IsObject(item))
        return item;
    refuse(r, field, item, required ? "an object" : "an object or null");
    return NULL;
}

static const cJSON *read_array(struct reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = member(object, field);
    if (cJSON_IsArray(item))
        return item;
    refuse(r, field, item, "an array");
    return NULL;
}

static bool read_bool(struct reader *r, const cJSON *object, const char *field)
{
    const cJSON *item = member(object, field);
    if (item && !cJSON_IsBool(item))
        refuse(r, field, item, "true or false");
    return cJSON_IsTrue(item);
}

/* "f32", or "A=bf16 B=bf16 C=f32 ACC=f32". */
static bool parse_types(const char *text, struct gr_types *types)
{
    enum gr_dtype type;
    char name[4][8];
    int end = -1;
    if (gr_dtype_parse(text, &type)) {
        *types = gr_types_of(type);
        return true;
    }
    return sscanf(text, "A=%7[a-z0-9] B=%7[a-z0-9] C=%7[a-z0-9] ACC=%7[a-z0-9]%n", name[0], name[1],
                  name[2], name[3], &end) == 4 &&
           end == (int)strlen(text) && gr_dtype_parse(name[0], &types->a) &&
           gr_dtype_parse(name[1], &types->b) && gr_dtype_parse(name[2], &types->c) &&
           gr_dtype_parse(name[3], &types->acc);
}

static void read_problem(struct reader *r, const cJSON *o, struct gr_row *row)
{
    struct gr_types types = {0};
    char text[64] = "", trans[4] = "";
    read_name(r, o, "dtype", text, sizeof text);
    if (!r->status && !parse_types(text, &types))
        refuse(r, "dtype", member(o, "dtype"), "an element type (f32, f64, …)");
    read_name(r, o, "trans", trans, sizeof trans);
    if (!r->status && trans[0] && (strlen(trans) != 2 || strspn(trans, "nt") != 2))
        refuse(r, "trans", member(o, "trans"), "nn, nt, tn or tt");
    int64_t m = read_count(r, o, "m", 0, LARGEST_COUNT);
    int64_t n = read_count(r, o, "n", 0, LARGEST_COUNT);
    int64_t k = read_count(r, o, "k", 0, LARGEST_COUNT);
    row->problem = gr_problem_dense(m, n, k, trans[0] == 't', trans[0] && trans[1] == 't', types);
    struct {
        const char *field;
        int64_t *value;
    } lds[] = {{"lda", &row->problem.lda}, {"ldb", &row->problem.ldb}, {"ldc", &row->problem.ldc}};
    for (int i = 0; i < 3; i++)
        if (!is_absent(o, lds[i].field))
            *lds[i].value = read_count(r, o, lds[i].field, 0, LARGEST_COUNT);
    if (!is_absent(o, "alpha"))
        row->problem.alpha = read_number(r, o, "alpha", -1e308, 1e308);
    if (!is_absent(o, "beta"))
        row->problem.beta = read_number(r, o, "beta", -1e308, 1e308);
    const cJSON *asked = read_object(r, o, "asked", false);
    size_t outer = enter(r, "asked");
    row->asked_m = asked ? read_count(r, asked, "m", 0, LARGEST_COUNT) : m;
    row->asked_n = asked ? read_count(r, asked, "n", 0, LARGEST_COUNT) : n;
    row->asked_k = asked ? read_count(r, asked, "k", 0, LARGEST_COUNT) : k;
    leave(r, outer);
}

static enum gr_verdict read_verdict(struct reader *r, const cJSON *o)
{
    static const enum gr_verdict verdicts[] = {
#define VERDICT(enumerator, name, text) enumerator,
        GR_VERDICT_LIST(VERDICT)
#undef VERDICT
    };
    const cJSON *item = member(o, "verdict");
    for (size_t i = 0; cJSON_IsString(item) && i < sizeof verdicts / sizeof *verdicts; i++)
        if (strcmp(item->valuestring, gr_verdict_name(verdicts[i])) == 0)
            return verdicts[i];
    refuse(r, "verdict", item, "a verdict (right, wrong, skip, …)");
    return GR_FAILED;
}

/* A kind that this Gradus does not know is a note: a later one may have more. */
static enum gr_finding_kind kind_of(const char *name)
{
    static const enum gr_finding_kind kinds[] = {
#define KIND(enumerator, kind_name) enumerator,
        GR_FINDING_LIST(KIND)
#undef KIND
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, gr_finding_name(kinds[i])) == 0)
            return kinds[i];
    return GR_FIND_NOTE;
}

static void read_findings(struct reader *r, const cJSON *o, struct gr_findings *findings)
{
    const cJSON *array = read_array(r, o, "findings"), *item;
    int i = 0;
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        snprintf(field, sizeof field, "findings[%d]", i++);
        if (!cJSON_IsObject(item))
            refuse(r, field, item, "an object");
        size_t outer = enter(r, field);
        char *kind = read_text(r, item, "kind", true), *text = read_text(r, item, "text", true);
        int line = is_absent(item, "line") ? 0 : (int)read_count(r, item, "line", 0, LARGEST_INT);
        if (!r->status)
            gr_findings_add(findings, kind_of(kind), line, "%s", text);
        free(kind);
        free(text);
        leave(r, outer);
    }
}

static void read_worst(struct reader *r, const cJSON *o, struct gr_worst *worst)
{
    o = read_object(r, o, "worst", false);
    if (!o)
        return;
    size_t outer = enter(r, "worst");
    worst->known = true;
    worst->row = read_count(r, o, "row", 0, LARGEST_COUNT);
    worst->col = read_count(r, o, "col", 0, LARGEST_COUNT);
    worst->got = read_element(r, o, "got");
    worst->want = read_element(r, o, "want");
    worst->ratio = read_element(r, o, "ratio");
    if (!is_absent(o, "limit"))
        worst->limit = read_element(r, o, "limit");
    leave(r, outer);
}

static void read_time(struct reader *r, const cJSON *o, struct gr_stat *time_ns)
{
    o = read_object(r, o, "time_ns", false);
    if (!o)
        return;
    size_t outer = enter(r, "time_ns");
    time_ns->median = read_number(r, o, "median", 0, 1e300);
    time_ns->min = read_number(r, o, "min", 0, 1e300);
    time_ns->iqr = read_number(r, o, "iqr", 0, 1e300);
    time_ns->n = (int)read_count(r, o, "n", 1, LARGEST_INT);
    leave(r, outer);
}

static void read_peer(struct reader *r, const cJSON *o, struct gr_peer_result *peer)
{
    o = read_object(r, o, "peer", false);
    if (!o)
        return;
    size_t outer = enter(r, "peer");
    read_name(r, o, "name", peer->name, sizeof peer->name);
    read_name(r, o, "version", peer->version, sizeof peer->version);
    read_name(r, o, "core", peer->core, sizeof peer->core);
    if (!is_absent(o, "threads"))
        peer->threads = (int)read_count(r, o, "threads", 0, LARGEST_INT);
    peer->gflops = read_known(r, o, "gflops");
    leave(r, outer);
}

static void read_speedup(struct reader *r, const cJSON *o, struct gr_ratio *speedup)
{
    o = read_object(r, o, "speedup", false);
    if (!o)
        return;
    size_t outer = enter(r, "speedup");
    speedup->median = read_number(r, o, "median", 0, 1e300);
    speedup->lo = read_number(r, o, "lo", 0, 1e300);
    speedup->hi = read_number(r, o, "hi", 0, 1e300);
    speedup->n = is_absent(o, "n") ? 1 : (int)read_count(r, o, "n", 1, LARGEST_INT);
    leave(r, outer);
}

static void read_row(struct reader *r, const cJSON *o, struct gr_row *row)
{
    char cache[8] = "";
    row->kernel = read_text(r, o, "kernel", true);
    row->title = read_text(r, o, "title", false);
    row->path = read_text(r, o, "path", false);
    row->is_peer = read_bool(r, o, "is_peer");
    row->device = read_text(r, o, "device", true);
    read_problem(r, o, row);
    row->threads = (int)read_count(r, o, "threads", 0, LARGEST_INT);
    read_name(r, o, "cache", cache, sizeof cache);
    row->cold = strcmp(cache, "cold") == 0;
    if (!r->status && !row->cold && strcmp(cache, "warm") != 0)
        refuse(r, "cache", member(o, "cache"), "\"cold\" or \"warm\"");
    row->variant = read_text(r, o, "variant", false);
    row->flags = read_text(r, o, "flags", false);
    row->verdict = read_verdict(r, o);
    row->reason = read_text(r, o, "reason", false);
    read_worst(r, o, &row->worst);
    row->checked_by = read_text(r, o, "checked_by", false);
    read_time(r, o, &row->time_ns);
    row->gflops = read_known(r, o, "gflops");
    row->peak_fraction = read_known(r, o, "peak_fraction");
    read_peer(r, o, &row->peer);
    read_speedup(r, o, &row->speedup);
    read_findings(r, o, &row->findings);
    row->log = read_text(r, o, "log", false);
    row->command = read_text(r, o, "command", false);
}

static void read_rows(struct reader *r, const cJSON *root, struct gr_run *run)
{
    const cJSON *array = read_array(r, root, "rows"), *item;
    int i = 0;
    cJSON_ArrayForEach(item, array)
    {
        char field[32];
        if (r->status)
            break;
        snprintf(field, sizeof field, "rows[%d]", i++);
        if (!cJSON_IsObject(item)) {
            refuse(r, field, item, "an object");
            break;
        }
        struct gr_row *row = gr_run_add(run);
        if (!row) {
            r->status = gr_fail_memory(r->error, r->file, sizeof *row);
            break;
        }
        size_t outer = enter(r, field);
        read_row(r, item, row);
        leave(r, outer);
    }
}

static void read_ceilings(struct reader *r, const cJSON *o, struct gr_environment *e)
{
    if (is_absent(o, "ceilings"))
        return;
    const cJSON *array = read_array(r, o, "ceilings"), *item;
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
        size_t outer = enter(r, field);
        read_name(r, item, "name", ceiling->name, sizeof ceiling->name);
        read_name(r, item, "unit", ceiling->unit, sizeof ceiling->unit);
        ceiling->value = read_number(r, item, "value", 0, 1e300);
        leave(r, outer);
    }
}

static void read_environment(struct reader *r, const cJSON *root, struct gr_environment *e)
{
    const cJSON *o = read_object(r, root, "environment", true);
    if (!o)
        return;
    size_t outer = enter(r, "environment");
    e->version = read_text(r, o, "version", false);
    e->date = read_text(r, o, "date", false);
    e->system = read_text(r, o, "system", false);
    e->cpu = read_text(r, o, "cpu", false);
    e->isa = read_text(r, o, "isa", false);
    e->cores = is_absent(o, "cores") ? 0 : (int)read_count(r, o, "cores", 0, LARGEST_INT);
    e->caches = read_text(r, o, "caches", false);
    e->compiler = read_text(r, o, "compiler", false);
    e->fill = read_text(r, o, "fill", false);
    e->command = read_text(r, o, "command", false);
    char *seed = read_text(r, o, "seed", false), *end = seed;
    errno = 0;
    e->seed = seed && *seed >= '0' && *seed <= '9' ? strtoull(seed, &end, 10) : 0;
    if (seed && (end == seed || *end || errno))
        refuse(r, "seed", member(o, "seed"), "64 bits in decimal, as a string");
    free(seed);
    read_ceilings(r, o, e);
    leave(r, outer);
}

static void read_schema(struct reader *r, const cJSON *root)
{
    const cJSON *schema = member(root, "schema"), *version = member(root, "schema_version");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, GR_JSON_SCHEMA) != 0)
        refuse(r, "schema", schema,
               "\"" GR_JSON_SCHEMA "\": a file that gradus --format json wrote");
    if (!cJSON_IsNumber(version) || version->valuedouble != GR_JSON_SCHEMA_VERSION) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "%d: make the file again with this gradus",
                 GR_JSON_SCHEMA_VERSION);
        refuse(r, "schema_version", version, wanted);
    }
}

/* "old.json:12:5: not JSON", at the byte where the parser gave up. */
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
    struct reader r = {.file = name, .error = error};
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
        refuse(&r, "the whole", root, "an object");
    read_schema(&r, root);
    if (!r.status)
        run->title = read_text(&r, root, "title", false);
    read_environment(&r, root, &run->environment);
    read_rows(&r, root, run);
    cJSON_Delete(root);
    if (r.status)
        gr_run_free(run);
    return r.status;
}

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

#endif
