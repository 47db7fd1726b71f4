/* tuned_table.c: writes and reads the table of tuned parameters. SPDX-License-Identifier: MIT */
#include "measure/tuned_table.h"

#include "core/error.h"
#include "base/file.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_line[] = "format      1\n";

static void add_fact(struct gr_str *out, const char *key, const char *value)
{
    gr_str_printf(out, "%-11s ", key);
    gr_str_add_line(out, value && *value ? value : "unknown");
    gr_str_add(out, "\n");
}

void gr_tuned_format_head(const char *device, const char *driver, const struct gr_environment *e,
                          struct gr_str *out)
{
    gr_str_add(out, "# What gradus tune has found; docs/tuning.md explains the lines.\n");
    gr_str_add(out, format_line);
    add_fact(out, "device", device);
    add_fact(out, "driver", driver && *driver ? driver : "none");
    add_fact(out, "system", e->system);
    add_fact(out, "compiler", e->compiler);
    add_fact(out, "gradus", e->version);
    add_fact(out, "date", e->date);
    add_fact(out, "command", e->command);
}

static void add_interval(const struct gr_ratio *r, struct gr_str *out)
{
    gr_str_printf(out, "%.3f [%.3f,%.3f] of the default's speed", r->median, r->lo, r->hi);
}

void gr_tuned_format(const struct gr_tune *tune, int threads, struct gr_str *out)
{
    const struct gr_tune_candidate *c = &tune->candidates[tune->chosen];
    const struct gr_problem *p = &tune->problem;
    char values[512], winner[512];
    gr_variant_name(&c->variant, values, sizeof values);
    gr_variant_name(&tune->candidates[tune->winner].variant, winner, sizeof winner);
    gr_str_printf(out, "kernel      %s %s %s %" PRId64 "x%" PRId64 "x%" PRId64 " %d | %s | ",
                  c->variant.kernel->name, gr_types_word(c->variant.types), gr_problem_trans(p),
                  p->m, p->n, p->k, threads, values);
    if (tune->simulated) {
        gr_str_printf(out, "model %.4g us, not measured", c->model_ns * 1e-3);
    } else {
        gr_str_printf(out, "%s %.4g us [%.4g,%.4g]", tune->cold ? "cold" : "warm",
                      c->place.time_interval.median * 1e-3, c->place.time_interval.lo * 1e-3,
                      c->place.time_interval.hi * 1e-3);
        if (c->place.of_reference.n) {
            gr_str_add(out, ", ");
            add_interval(&c->place.of_reference, out);
        }
        gr_str_printf(out, ", %d rounds", tune->final_rounds);
    }
    if (tune->chosen != tune->winner)
        gr_str_printf(out, ", tied with %s", winner);
    gr_str_printf(out, ", %d tied\n", tune->fates[GR_TUNE_TIE]);
}

/* ---- Reading. ---- */

static enum gradus_status bad_line(const struct gr_tuned_table *table, int line, const char *what,
                                   struct gradus_error *error)
{
    return gr_fail(error, GRADUS_INVALID, "%s:%d: %s", table->path, line, what);
}

static char *trimmed(const char *text, size_t length)
{
    while (length && *text == ' ')
        text++, length--;
    while (length && text[length - 1] == ' ')
        length--;
    return gr_strndup(text, length);
}

/* Reads a line such as "05_simd f32 nn 512x512x512 1 | TM=6 TV=2 | …". */
static enum gradus_status read_entry(struct gr_tuned_table *table, const char *text, int line,
                                     struct gradus_error *error)
{
    char kernel[128], dtype[32], trans[8];
    struct gr_tuned_entry e = {0};
    const char *bar = strchr(text, '|');
    if (!bar ||
        sscanf(text, "%127s %31s %7s %" SCNd64 "x%" SCNd64 "x%" SCNd64 " %d", kernel, dtype, trans,
               &e.m, &e.n, &e.k, &e.threads) != 7 ||
        e.m < 1 || e.n < 1 || e.k < 1 || e.threads < 0)
        return bad_line(table, line,
                        "wanted 'kernel NAME DTYPE TRANS MxNxK THREADS | NAME=VALUE … | …'", error);
    struct gr_tuned_entry *grown =
        realloc(table->entries, (size_t)(table->count + 1) * sizeof *grown);
    if (!grown)
        return gr_fail_memory(error, "a table of tuned parameters", sizeof *grown);
    table->entries = grown;
    e.kernel = gr_strdup(kernel);
    e.dtype = gr_strdup(dtype);
    e.trans = gr_strdup(trans);
    e.values = trimmed(bar + 1, strcspn(bar + 1, "|"));
    grown[table->count++] = e;
    return e.kernel && e.dtype && e.trans && e.values
               ? GRADUS_OK
               : gr_fail_memory(error, "a table of tuned parameters", sizeof *grown);
}

static enum gradus_status read_line(struct gr_tuned_table *table, const char *text, int line,
                                    bool *known, struct gradus_error *error)
{
    const char *rest = text + strcspn(text, " ");
    rest += strspn(rest, " ");
    if (!*text || *text == '#')
        return GRADUS_OK;
    if (!*known && (strncmp(text, "format ", 7) != 0 || strcmp(rest, "1") != 0))
        return bad_line(table, line,
                        "wanted 'format 1': it is no table of gradus tune, or of a "
                        "later version",
                        error);
    *known = true;
    if (strncmp(text, "device ", 7) == 0) {
        free(table->device);
        table->device = gr_strdup(rest);
    }
    return strncmp(text, "kernel ", 7) == 0 ? read_entry(table, rest, line, error) : GRADUS_OK;
}

enum gradus_status gr_tuned_read(const char *path, struct gr_tuned_table *table,
                                 struct gradus_error *error)
{
    char *text = NULL, *rest, *line;
    size_t length;
    bool known = false;
    int number = 0;
    *table = (struct gr_tuned_table){.path = gr_strdup(path)};
    enum gradus_status status = gr_file_read(path, &text, &length, error);
    rest = text;
    while (status == GRADUS_OK && (line = strsep(&rest, "\n")) != NULL)
        status = read_line(table, line, ++number, &known, error);
    if (status == GRADUS_OK && (!known || !table->device || table->count == 0))
        status = gr_fail(error, GRADUS_INVALID,
                         "%s: wanted a table of gradus tune -o: it has no %s", path,
                         !known          ? "'format' line"
                         : table->device ? "'kernel' line"
                                         : "'device' line");
    free(text);
    return status;
}

void gr_tuned_free(struct gr_tuned_table *table)
{
    for (int i = 0; i < table->count; i++) {
        free(table->entries[i].kernel);
        free(table->entries[i].dtype);
        free(table->entries[i].trans);
        free(table->entries[i].values);
    }
    free(table->entries);
    free(table->path);
    free(table->device);
    *table = (struct gr_tuned_table){0};
}

/* ---- Using the table. ---- */

static double apart(double x, double y)
{
    return fabs(log((x > 1 ? x : 1) / (y > 1 ? y : 1)));
}

static const struct gr_tuned_entry *nearest(const struct gr_tuned_table *table,
                                            const struct gr_variant *v, const struct gr_problem *p,
                                            int threads)
{
    const struct gr_tuned_entry *best = NULL;
    double least = 0;
    for (int i = 0; i < table->count; i++) {
        const struct gr_tuned_entry *e = &table->entries[i];
        if (strcmp(e->kernel, v->kernel->name) != 0 ||
            strcmp(e->dtype, gr_types_word(v->types)) != 0 ||
            strcmp(e->trans, gr_problem_trans(p)) != 0)
            continue;
        const double distance = apart((double)e->m, (double)p->m) +
                                apart((double)e->n, (double)p->n) +
                                apart((double)e->k, (double)p->k) + apart(e->threads, threads);
        if (!best || distance < least) {
            best = e;
            least = distance;
        }
    }
    return best;
}

enum gradus_status gr_tuned_apply(const struct gr_tuned_table *table, const struct gr_problem *p,
                                  int threads, struct gr_variant *v,
                                  const struct gr_tuned_entry **used, struct gradus_error *error)
{
    *used = nearest(table, v, p, threads);
    if (!*used)
        return GRADUS_OK;
    char *copy = gr_strdup((*used)->values), *rest = copy, *word;
    struct gradus_error why = {0};
    enum gradus_status status =
        copy ? GRADUS_OK : gr_fail_memory(error, "tuned parameters", strlen((*used)->values));
    while (status == GRADUS_OK && (word = strsep(&rest, " ")) != NULL)
        if (*word)
            status = gr_variant_set(v, word, &why);
    if (status != GRADUS_OK && copy)
        gr_fail(error, status, "--tuned %s: %.400s", table->path, why.text);
    gradus_error_clear(&why);
    free(copy);
    return status;
}
