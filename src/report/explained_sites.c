/* explained_sites.c: all accesses and all arrays of a simulated kernel as JSON.
 * SPDX-License-Identifier: MIT */
#include "report/explained_counts.h"

#include "io/json_out.h"
#include "explain/traced.h"

#include <inttypes.h>

static void add_text(struct gr_str *out, const char *name, const char *text)
{
    gr_str_printf(out, ", \"%s\": ", name);
    if (text && *text)
        gr_json_add_text(out, text);
    else
        gr_str_add(out, "null");
}

static void add_count(struct gr_str *out, const char *name, int64_t count)
{
    gr_str_printf(out, ", \"%s\": %" PRId64, name, count);
}

static void add_known(struct gr_str *out, const char *name, int number)
{
    if (number > 0)
        gr_str_printf(out, ", \"%s\": %d", name, number);
    else
        gr_str_printf(out, ", \"%s\": null", name);
}

/* Sectors exist only for global memory, and wavefronts only for shared memory; otherwise the value
 * is null. */
static void add_cost(struct gr_str *out, bool applies, const char *unit, int64_t count,
                     int64_t ideal, int64_t requests)
{
    if (!applies) {
        gr_str_printf(out, ", \"%s\": null, \"%s_ideal\": null", unit, unit);
        gr_str_printf(out, ", \"%s_per_request\": null", unit);
        return;
    }
    gr_str_printf(out, ", \"%s\": %" PRId64 ", \"%s_ideal\": %" PRId64, unit, count, unit, ideal);
    gr_str_printf(out, ", \"%s_per_request\": %.10g", unit, gr_traced_each(count, requests));
}

static void add_site(const struct gr_trace *t, const struct gr_trace_site *s, const char *stanza,
                     const char *path, struct gr_str *out)
{
    const struct gr_trace_array *array = gr_trace_array_of(t, s);
    bool global = s->space == GR_SPACE_GLOBAL, shared = s->space == GR_SPACE_SHARED;
    gr_str_add(out, "\n    {\"stanza\": ");
    gr_json_add_text(out, stanza);
    add_known(out, "line", s->line);
    add_known(out, "column", s->column);
    add_text(out, "file", *s->file ? s->file : path);
    add_text(out, "array", array ? array->name : NULL);
    add_text(out, "access", gr_access_name(s->access));
    add_text(out, "space", gr_space_name(s->space));
    add_count(out, "bytes", s->bytes);
    add_count(out, "source_bytes", s->source_bytes);
    add_count(out, "requests", s->requests);
    add_count(out, "lanes", s->lanes);
    add_cost(out, global, "sectors", s->sectors, s->sectors_ideal, s->requests);
    add_cost(out, shared, "wavefronts", s->wavefronts, s->wavefronts_ideal, s->requests);
    if (shared)
        add_count(out, "conflicts", gr_traced_excess(s->wavefronts, s->wavefronts_ideal));
    else
        gr_str_add(out, ", \"conflicts\": null");
    gr_str_add(out, "}");
}

static void add_array(const struct gr_trace_array *a, const char *stanza, struct gr_str *out)
{
    bool global = a->space == GR_SPACE_GLOBAL;
    gr_str_add(out, "\n    {\"stanza\": ");
    gr_json_add_text(out, stanza);
    add_text(out, "name", a->name);
    add_text(out, "space", gr_space_name(a->space));
    add_count(out, "element_bytes", a->element_bytes);
    add_count(out, "bytes", a->bytes);
    gr_str_printf(out, ", \"loaded\": %s, \"stored\": %s", a->loaded ? "true" : "false",
                  a->stored ? "true" : "false");
    add_count(out, "load_bytes", a->load_bytes);
    add_count(out, "store_bytes", a->store_bytes);
    if (global) {
        add_count(out, "distinct_bytes", a->distinct_bytes);
        add_count(out, "block_distinct_bytes", a->block_distinct_bytes);
    } else {
        gr_str_add(out, ", \"distinct_bytes\": null, \"block_distinct_bytes\": null");
    }
    gr_str_add(out, "}");
}

void gr_explained_sites_json(const struct gr_explained_head *head, const struct gr_explained *e,
                             struct gr_str *out)
{
    const char *between = "";
    gr_str_add(out, ",\n  \"arrays\": [");
    for (int i = 0; i < e->trace_count; i++)
        for (int j = 0; j < e->traces[i].array_count; j++) {
            gr_str_add(out, between);
            add_array(&e->traces[i].arrays[j],
                      head->kernel->stanzas[e->traces[i].stanza].signature.name, out);
            between = ",";
        }
    between = "";
    gr_str_add(out, "\n  ],\n  \"sites\": [");
    for (int i = 0; i < e->trace_count; i++)
        for (int j = 0; j < e->traces[i].site_count; j++) {
            gr_str_add(out, between);
            add_site(&e->traces[i], &e->traces[i].sites[j],
                     head->kernel->stanzas[e->traces[i].stanza].signature.name, head->kernel->path,
                     out);
            between = ",";
        }
    gr_str_add(out, "\n  ]");
}
