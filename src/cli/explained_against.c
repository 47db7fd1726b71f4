/* explained_against.c: two explained kernels side by side on a terminal. SPDX-License-Identifier: MIT */
#include "cli/explained.h"

#include "cli/text.h"
#include "lab/amounts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 31, COLUMN = 18, USUAL_COLUMNS = 80, INDENT = 2 };

/* What is compared: facts of the stanzas that multiply. A line without a key is a heading. */
static const struct {
    const char *key, *label;
} rows[] = {
    {"grid.blocks", "blocks"},
    {"block.threads", "threads of a block"},
    {"regs", "registers of a thread"},
    {"smem_bytes", "shared memory, bytes a block"},
    {"spills", "spills"},
    {"occupancy", "occupancy"},
    {"loop.fma_share", "multiply-adds in the hot loop"},
    {"global.loads.requests", "global loads: requests"},
    {"global.loads.sectors", "  sectors"},
    {"global.loads.sectors_per_request", "  sectors a request"},
    {"global.stores.requests", "global stores: requests"},
    {"global.stores.sectors", "  sectors"},
    {"global.stores.sectors_per_request", "  sectors a request"},
    {"global.copies.requests", "async. copies: requests"},
    {"global.copies.sectors", "  sectors"},
    {"global.copies.sectors_per_request", "  sectors a request"},
    {"shared.loads.requests", "shared loads: requests"},
    {"shared.loads.wavefronts", "  wavefronts"},
    {"shared.loads.conflicts", "  conflicts"},
    {"shared.stores.requests", "shared stores: requests"},
    {"shared.stores.wavefronts", "  wavefronts"},
    {"shared.stores.conflicts", "  conflicts"},
    {"barriers.waits", "warps at barriers"},
    {"traffic.asked_bytes", "bytes asked of global memory"},
    {"traffic.l1_bytes", "bytes in sectors at L1"},
    {"traffic.block_bytes", "bytes distinct in a block, all"},
    {"intensity.kernel", "FLOP/byte of a block's tile"},
    {"intensity.l1", "FLOP/byte at L1"},
    {"intensity.block", "FLOP/byte beyond the block"},
    {"floor.l1_ns", "time floor of L1"},
    {"floor.shared_ns", "time floor of shared memory"},
    {"floor.kernel_ns", "highest time floor"},
};

static void add_value(struct gr_str *out, const struct gr_fact *fact)
{
    char text[40] = "-";
    if (fact && fact->word)
        snprintf(text, sizeof text, "%.*s", COLUMN - 1, fact->word);
    else if (fact && strcmp(fact->unit, "ns") == 0)
        snprintf(text, sizeof text, "%s", gr_amount_time(fact->value).text);
    else if (fact)
        snprintf(text, sizeof text,
                 fact->value < 1e15 && fact->value == floor(fact->value) ? "%.0f" : "%.4g",
                 fact->value);
    gr_str_printf(out, "%*s", COLUMN, text);
}

static void add_row(const struct gr_explained_head heads[2],
                    const struct gr_explained *const both[2], const int stanzas[2], size_t row,
                    struct gr_str *out)
{
    const struct gr_fact *a = gr_explained_fact(&heads[0], both[0], stanzas[0], rows[row].key);
    const struct gr_fact *b = gr_explained_fact(&heads[1], both[1], stanzas[1], rows[row].key);
    bool any = (a && a->value != 0) || (b && b->value != 0);
    if (!any && (strcmp(rows[row].key, "spills") != 0 || (!a && !b)))
        return;
    gr_str_printf(out, "  %-*s", LABEL, rows[row].label);
    add_value(out, a);
    add_value(out, b);
    if (a && b && !a->word && !b->word && a->value > 0)
        gr_str_printf(out, "%11.4g", b->value / a->value);
    gr_str_add(out, "\n");
}

static void add_heading(struct gr_str *out, const char *heading, bool colour)
{
    gr_str_printf(out, "\n%s%s%s\n", colour ? "\033[1m" : "", heading, colour ? "\033[m" : "");
}

/* The same trouble, wherever it stands in the two files. */
static bool has_like(const struct gr_explained *e, const struct gr_finding *finding)
{
    return gr_findings_has(&e->explanation.findings, finding->kind);
}

static void add_findings_of(const struct gr_explained *e, const struct gr_explained *other,
                            const char *heading, const struct gr_style *style, int columns,
                            struct gr_str *out)
{
    bool any = false;
    add_heading(out, heading, style->colour);
    for (int i = 0; i < e->explanation.findings.count; i++) {
        const struct gr_finding *finding = &e->explanation.findings.items[i];
        struct gr_str line = {0};
        if (has_like(other, finding))
            continue;
        any = true;
        gr_explanation_finding(finding, &line);
        gr_str_printf(out, "%*s", INDENT, "");
        gr_text_wrap(out, gr_str_text(&line), line.length, INDENT, columns);
        gr_str_free(&line);
    }
    if (!any)
        gr_str_printf(out, "%*snone\n", INDENT, "");
}

static void add_common(const struct gr_explained *const both[2], const struct gr_style *style,
                       int columns, struct gr_str *out)
{
    const struct gr_findings *findings = &both[0]->explanation.findings;
    struct gr_str kinds = {0};
    for (int i = 0; i < findings->count; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= findings->items[j].kind == findings->items[i].kind;
        if (!seen && has_like(both[1], &findings->items[i]))
            gr_str_printf(&kinds, "%s%s", kinds.length ? ", " : "",
                          gr_finding_name(findings->items[i].kind));
    }
    if (kinds.length) {
        add_heading(out, "Findings of both", style->colour);
        gr_str_printf(out, "%*s", INDENT, "");
        gr_text_wrap(out, gr_str_text(&kinds), kinds.length, INDENT, columns);
    }
    gr_str_free(&kinds);
}

static void add_coverage(const struct gr_explained_head *head, const struct gr_explained *e,
                         int columns, struct gr_str *out)
{
    struct gr_str line = {0};
    gr_explanation_headline(head, &line);
    gr_str_printf(&line, "%s%s%s. ", *head->params ? " (" : "", head->params,
                  *head->params ? ")" : "");
    if (e->trace_count > 0) {
        enum gr_coverage worst = GR_COVERAGE_WHOLE;
        for (int i = 0; i < e->trace_count; i++)
            worst = e->traces[i].coverage > worst ? e->traces[i].coverage : worst;
        gr_str_printf(&line, "Counts are %s.",
                      worst == GR_COVERAGE_SAMPLED ? "sampled, not exact" : "exact");
    } else {
        gr_str_printf(&line, "Not simulated%s%s", e->untraced ? ": " : ".",
                      e->untraced ? e->untraced : "");
    }
    gr_str_printf(out, "%*s", INDENT, "");
    gr_text_wrap(out, gr_str_text(&line), line.length, INDENT, columns);
    gr_str_free(&line);
}

void gr_explanation_against(const struct gr_explained_head heads[2],
                            const struct gr_explained *const both[2], const struct gr_style *style,
                            struct gr_str *out)
{
    const int stanzas[2] = {gr_explained_stanza(&heads[0], both[0]),
                            gr_explained_stanza(&heads[1], both[1])};
    int columns = style->columns ? style->columns : USUAL_COLUMNS;
    char size[64], types[80], only[160];
    const struct gr_problem *p = heads[0].problem;
    gr_size_name(p->m, p->n, p->k, size, sizeof size);
    gr_types_name(p->types, types, sizeof types);
    gr_str_printf(out, "%s%s against %s%s\n", style->colour ? "\033[1m" : "", heads[0].kernel->name,
                  heads[1].kernel->name, style->colour ? "\033[m" : "");
    gr_str_printf(out, "  Problem: %s, %s, %s. Device: %s, %s.\n", size, types, gr_problem_trans(p),
                  heads[0].device->name, heads[0].arch);
    for (int i = 0; i < 2; i++)
        add_coverage(&heads[i], both[i], columns, out);
    gr_str_printf(out, "\n  %-*s%*.*s%*.*s%11s\n", LABEL, "", COLUMN, COLUMN - 1,
                  heads[0].kernel->name, COLUMN, COLUMN - 1, heads[1].kernel->name, "ratio");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_row(heads, both, stanzas, i, out);
    bool judged = gr_explained_verdict(both[0]) || gr_explained_verdict(both[1]);
    for (int i = 0; i < 2 && judged; i++) {
        snprintf(only, sizeof only, "Only %.120s has", heads[i].kernel->name);
        add_findings_of(both[i], both[1 - i], only, style, columns, out);
    }
    add_common(both, style, columns, out);
}
