/* explained_counts.c: the counted and computed facts as nested JSON.
 * SPDX-License-Identifier: MIT */
#include "report/explained_counts.h"

#include "io/json_out.h"
#include "explain/traced.h"

#include <inttypes.h>
#include <math.h>

/* A member of a JSON object, and the fact that is its value. */
struct member {
    const char *name, *key;
};

static const struct member resources[] = {{"registers", "regs"},
                                          {"smem_bytes", "smem_bytes"},
                                          {"smem_static_bytes", "smem.static_bytes"},
                                          {"smem_dynamic_bytes", "smem.dynamic_bytes"},
                                          {"stack_bytes", "stack_bytes"},
                                          {"spills", "spills"},
                                          {0}};
static const struct member occupancy[] = {
    {"fraction", "occupancy"},    {"blocks", "occupancy.blocks"},
    {"warps", "occupancy.warps"}, {"limit", "occupancy.limit"},
    {"waves", "waves"},           {0}};
static const struct member intensity[] = {{"kernel", "intensity.kernel"},
                                          {"asked", "intensity.asked"},
                                          {"l1", "intensity.l1"},
                                          {"block", "intensity.block"},
                                          {"grid", "intensity.grid"},
                                          {"shared", "intensity.shared"},
                                          {"device", "intensity.device"},
                                          {"problem", "intensity.problem"},
                                          {0}};
static const struct member traffic[] = {{"asked_bytes", "traffic.asked_bytes"},
                                        {"l1_bytes", "traffic.l1_bytes"},
                                        {"block_bytes", "traffic.block_bytes"},
                                        {"grid_bytes", "traffic.grid_bytes"},
                                        {"shared_bytes", "traffic.shared_bytes"},
                                        {"beyond_l1_least_bytes", "traffic.beyond_l1_least_bytes"},
                                        {"beyond_l1_most_bytes", "traffic.beyond_l1_most_bytes"},
                                        {0}};
static const struct member floors[] = {
    {"l1_ns", "floor.l1_ns"},     {"shared_ns", "floor.shared_ns"},
    {"grid_ns", "floor.grid_ns"}, {"kernel_ns", "floor.kernel_ns"},
    {"highest", "floor.highest"}, {0}};

/* The state of writing: the depth of nesting, and the stanza. */
struct writer {
    const struct gr_explained_head *head;
    const struct gr_explained *e;
    struct gr_str *out;
    const char *indent; /* before each object */
};

static void add_object(const struct writer *w, int stanza, const char *name,
                       const struct member *members)
{
    gr_str_printf(w->out, ",%s\"%s\": {", w->indent, name);
    for (int i = 0; members[i].name; i++) {
        const struct gr_fact *fact = gr_explained_fact(w->head, w->e, stanza, members[i].key);
        gr_str_printf(w->out, "%s\"%s\": ", i ? ", " : "", members[i].name);
        if (!fact || (!fact->word && !isfinite(fact->value)))
            gr_str_add(w->out, "null");
        else if (fact->word)
            gr_json_add_text(w->out, fact->word);
        else
            gr_str_printf(w->out, "%.10g", fact->value);
    }
    gr_str_add(w->out, "}");
}

static void add_sum(struct gr_trace_sum *to, const struct gr_trace_sum *from)
{
    to->requests += from->requests;
    to->lanes += from->lanes;
    to->sectors += from->sectors;
    to->sectors_ideal += from->sectors_ideal;
    to->wavefronts += from->wavefronts;
    to->wavefronts_ideal += from->wavefronts_ideal;
    to->bytes += from->bytes;
}

/* The total over one stanza's trace; -1: over all stanzas. */
static struct gr_trace_sum total_of(const struct writer *w, int stanza, enum gr_space space,
                                    enum gr_access access)
{
    struct gr_trace_sum sum = {0};
    for (int i = 0; i < w->e->trace_count; i++) {
        if (stanza >= 0 && w->e->traces[i].stanza != stanza)
            continue;
        struct gr_trace_sum one = gr_trace_total(&w->e->traces[i], space, access, -1);
        add_sum(&sum, &one);
    }
    return sum;
}

static void add_space(const struct writer *w, int stanza, enum gr_space space)
{
    bool global = space == GR_SPACE_GLOBAL;
    gr_str_printf(w->out, ",%s\"%s\": {", w->indent, gr_space_name(space));
    for (int access = 0; access < GR_ACCESS_COUNT; access++) {
        struct gr_trace_sum sum = total_of(w, stanza, space, access);
        int64_t count = global ? sum.sectors : sum.wavefronts;
        int64_t ideal = global ? sum.sectors_ideal : sum.wavefronts_ideal;
        const char *unit = global ? "sectors" : "wavefronts";
        if (!global && access == GR_ACCESS_COPY)
            continue;
        gr_str_printf(w->out,
                      "%s%s  \"%s\": {\"requests\": %" PRId64 ", \"%s\": %" PRId64
                      ", \"%s_ideal\": %" PRId64,
                      access ? "," : "", w->indent, gr_traced_key(access), sum.requests, unit,
                      count, unit, ideal);
        if (!global)
            gr_str_printf(w->out, ", \"conflicts\": %" PRId64, gr_traced_excess(count, ideal));
        gr_str_printf(w->out, ", \"%s_per_request\": ", unit);
        if (sum.requests > 0)
            gr_str_printf(w->out, "%.10g", gr_traced_each(count, sum.requests));
        else
            gr_str_add(w->out, "null");
        gr_str_printf(w->out, ", \"bytes\": %" PRId64 "}", sum.bytes);
    }
    gr_str_printf(w->out, "%s}", w->indent);
}

/* Writes the counts of one stanza's trace, or with -1 of all stanzas; null if there is no trace. */
static void add_counts(const struct writer *w, int stanza)
{
    const struct gr_trace *worst = NULL;
    int64_t blocks = 0, traced = 0, accesses = 0, time_ns = 0;
    for (int i = 0; i < w->e->trace_count; i++) {
        const struct gr_trace *t = &w->e->traces[i];
        if (stanza >= 0 && t->stanza != stanza)
            continue;
        worst = !worst || t->coverage > worst->coverage ? t : worst;
        blocks += t->blocks;
        traced += t->blocks_traced;
        accesses += t->accesses;
        time_ns += t->time_ns;
    }
    if (!worst) {
        gr_str_printf(w->out,
                      ",%s\"coverage\": null,%s\"widths\": null,%s\"blocks\": null,%s\"global\": "
                      "null,%s\"shared\": null",
                      w->indent, w->indent, w->indent, w->indent, w->indent);
        return;
    }
    gr_str_printf(w->out,
                  ",%s\"coverage\": \"%s\",%s\"widths\": \"%s\",%s\"blocks\": {\"total\": %" PRId64
                  ", \"traced\": %" PRId64 ", \"accesses\": %" PRId64 ", \"time_ns\": %" PRId64 "}",
                  w->indent, gr_coverage_name(worst->coverage), w->indent,
                  gr_widths_name(worst->widths), w->indent, blocks, traced, accesses, time_ns);
    add_space(w, stanza, GR_SPACE_GLOBAL);
    add_space(w, stanza, GR_SPACE_SHARED);
}

static void add_worked_out(const struct writer *w, int stanza)
{
    add_object(w, stanza, "resources", resources);
    add_object(w, stanza, "occupancy", occupancy);
    add_object(w, stanza, "intensity", intensity);
    add_object(w, stanza, "traffic", traffic);
    add_object(w, stanza, "floors", floors);
}

void gr_explained_counts_json(const struct gr_explained_head *head, const struct gr_explained *e,
                              struct gr_str *out)
{
    struct writer w = {head, e, out, "\n  "};
    const char *between = "";
    add_worked_out(&w, gr_explained_stanza(head, e));
    add_counts(&w, -1);
    gr_explained_executed_json(e, gr_explained_stanza(head, e), w.indent, out);
    gr_explained_sites_json(head, e, out);
    gr_explained_instructions_json(head, e, out);
    w.indent = "\n      ";
    gr_str_add(out, ",\n  \"stanzas\": [");
    for (int i = 0; i < head->kernel->stanza_count; i++) {
        if (!gr_explained_fact(head, e, i, "grid.blocks"))
            continue;
        gr_str_printf(out, "%s\n    {\"name\": ", between);
        gr_json_add_text(out, head->kernel->stanzas[i].signature.name);
        add_worked_out(&w, i);
        add_counts(&w, i);
        gr_explained_executed_json(e, i, w.indent, out);
        gr_str_add(out, "}");
        between = ",";
    }
    gr_str_add(out, "\n  ]");
}
