/* explained_executed.c: the executed instructions as JSON: their total, by mnemonic, and each
 * instruction. SPDX-License-Identifier: MIT */
#include "report/explained_counts.h"

#include "explain/executed.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_known(struct gr_str *out, const char *name, const char *text)
{
    gr_str_printf(out, ", \"%s\": ", name);
    if (*text)
        gr_json_add_text(out, text);
    else
        gr_str_add(out, "null");
}

static void add_executed(struct gr_str *out, const struct gr_executed *e)
{
    gr_str_printf(out,
                  "\"executed\": %" PRId64 ", \"threads\": %" PRId64 ", \"lanes\": %" PRId64
                  ", \"divergent\": %" PRId64,
                  e->warps, e->threads, e->lanes, e->divergent);
}

static void add_local(struct gr_str *out, const char *name, int64_t requests, int64_t sectors)
{
    gr_str_printf(out, "\"%s\": {\"requests\": %" PRId64 ", \"sectors\": %" PRId64 "}", name,
                  requests, sectors);
}

static void add_totals(const struct gr_trace *trace, const struct gr_executed_totals *t,
                       const char *indent, struct gr_str *out)
{
    gr_str_printf(out, ",%s\"executed\": {\"exact\": %s, \"branches\": %" PRId64 ", ", indent,
                  gr_executed_is_exact(trace) ? "true" : "false", t->branches);
    add_executed(out, &t->all);
    gr_str_printf(out, ",%s  \"local\": {", indent);
    add_local(out, "loads", t->local_loads, t->local_load_sectors);
    gr_str_add(out, ", ");
    add_local(out, "stores", t->local_stores, t->local_store_sectors);
    gr_str_printf(out,
                  "},%s  \"ldsm\": {\"requests\": %" PRId64 ", \"wavefronts\": %" PRId64
                  ", \"wavefronts_ideal\": %" PRId64 "},%s  \"opcodes\": [",
                  indent, t->ldsm_requests, t->ldsm_wavefronts, t->ldsm_wavefronts_ideal, indent);
    for (int i = 0; i < t->mnemonic_count; i++) {
        const struct gr_executed_mnemonic *m = &t->mnemonics[i];
        gr_str_printf(out, "%s%s    {\"name\": ", i ? "," : "", indent);
        gr_json_add_text(out, m->name);
        gr_str_printf(out, ", \"instructions\": %d, ", m->instructions);
        add_executed(out, &m->executed);
        gr_str_add(out, "}");
    }
    gr_str_printf(out, "]}");
}

void gr_explained_executed_json(const struct gr_explained *e, int stanza, const char *indent,
                                struct gr_str *out)
{
    for (int i = 0; i < e->trace_count; i++) {
        const struct gr_trace *trace = &e->traces[i];
        if (trace->stanza != stanza || trace->instruction_count == 0)
            continue;
        struct gr_executed_totals *totals = malloc(sizeof *totals);
        out->failed |= !totals;
        if (totals) {
            gr_executed_totals_of(trace, totals);
            add_totals(trace, totals, indent, out);
        }
        free(totals);
        return;
    }
    gr_str_printf(out, ",%s\"executed\": null", indent);
}

static void add_instruction(const struct gr_trace_instruction *at, const char *stanza,
                            const char *path, struct gr_str *out)
{
    gr_str_add(out, "\n    {\"stanza\": ");
    gr_json_add_text(out, stanza);
    gr_str_printf(out, ", \"offset\": %" PRId64, at->offset);
    add_known(out, "text", at->text);
    if (at->line > 0)
        gr_str_printf(out, ", \"line\": %d", at->line);
    else
        gr_str_add(out, ", \"line\": null");
    add_known(out, "file", at->line <= 0 ? "" : *at->file ? at->file : path);
    gr_str_add(out, ", ");
    add_executed(out, &at->executed);
    gr_str_printf(out,
                  ", \"requests\": %" PRId64 ", \"sectors\": %" PRId64 ", \"wavefronts\": %" PRId64
                  ", \"local_requests\": %" PRId64 ", \"local_sectors\": %" PRId64 "}",
                  at->requests, at->sectors, at->wavefronts, at->executed.local_requests,
                  at->executed.local_sectors);
}

void gr_explained_instructions_json(const struct gr_explained_head *head,
                                    const struct gr_explained *e, struct gr_str *out)
{
    const char *between = "";
    gr_str_add(out, ",\n  \"instructions\": [");
    for (int i = 0; i < e->trace_count; i++)
        for (int j = 0; j < e->traces[i].instruction_count; j++) {
            gr_str_add(out, between);
            add_instruction(&e->traces[i].instructions[j],
                            head->kernel->stanzas[e->traces[i].stanza].signature.name,
                            head->kernel->path, out);
            between = ",";
        }
    gr_str_add(out, "\n  ]");
}
