/* explained_against.c: two explained kernels side by side on a terminal. SPDX-License-Identifier:
 * MIT */
#include "report/explained.h"

#include "base/text.h"
#include "explain/amounts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 31, COLUMN = 18, USUAL_COLUMNS = 80, INDENT = 2 };

/* The lines of the comparison: facts of the stanzas that multiply. A line without a key is a
 * heading. */
static const struct {
    const char *key, *label;
    const char *amd; /* in AMD's words; null: the same */
} rows[] = {
    {"grid.blocks", "blocks", NULL},
    {"block.threads", "threads of a block", NULL},
    {"regs", "registers of a thread", "VGPRs of a work-item"},
    {"smem_bytes", "shared memory, bytes a block", "LDS, bytes a workgroup"},
    {"spills", "spills", NULL},
    {"occupancy", "occupancy", NULL},
    {"loop.fma_share", "multiply-adds in the hot loop", NULL},
    {"global.loads.requests", "global loads: requests", NULL},
    {"global.loads.sectors", "  sectors", NULL},
    {"global.loads.sectors_per_request", "  sectors a request", NULL},
    {"global.stores.requests", "global stores: requests", NULL},
    {"global.stores.sectors", "  sectors", NULL},
    {"global.stores.sectors_per_request", "  sectors a request", NULL},
    {"global.copies.requests", "async. copies: requests", NULL},
    {"global.copies.sectors", "  sectors", NULL},
    {"global.copies.sectors_per_request", "  sectors a request", NULL},
    {"shared.loads.requests", "shared loads: requests", "LDS loads: requests"},
    {"shared.loads.wavefronts", "  wavefronts", "  passes"},
    {"shared.loads.conflicts", "  conflicts", NULL},
    {"shared.stores.requests", "shared stores: requests", "LDS stores: requests"},
    {"shared.stores.wavefronts", "  wavefronts", "  passes"},
    {"shared.stores.conflicts", "  conflicts", NULL},
    {"barriers.waits", "warps at barriers", "wavefronts at barriers"},
    {"traffic.asked_bytes", "bytes requested from global memory", NULL},
    {"traffic.l1_bytes", "bytes in sectors at L1", NULL},
    {"traffic.block_bytes", "bytes distinct in a block, all", NULL},
    {"intensity.kernel", "FLOP/byte of a block's tile", NULL},
    {"intensity.l1", "FLOP/byte at L1", NULL},
    {"intensity.block", "FLOP/byte beyond the block", NULL},
    {"floor.l1_ns", "time floor of L1", NULL},
    {"floor.shared_ns", "time floor of shared memory", "time floor of LDS"},
    {"floor.kernel_ns", "highest time floor", NULL},
};

_Static_assert(sizeof rows / sizeof *rows <= GR_COMPARED, "a line has no room");

static void put_value(const struct gr_fact *fact, char value[40])
{
    value[0] = 0;
    if (fact && fact->word)
        snprintf(value, 40, "%s", fact->word);
    else if (fact && strcmp(fact->unit, "ns") == 0)
        snprintf(value, 40, "%s", gr_amount_time(fact->value).text);
    else if (fact)
        snprintf(value, 40,
                 fact->value < 1e15 && fact->value == floor(fact->value) ? "%.0f" : "%.4g",
                 fact->value);
}

/* Compares a fact. Returns false if neither kernel has it. Spills are shown, even if there are
 * none, whenever they are known. */
static bool put_row(const struct gr_explained_head heads[2],
                    const struct gr_explained *const both[2], const int stanzas[2], size_t i,
                    struct gr_pair_row *row)
{
    const struct gr_fact *a = gr_explained_fact(&heads[0], both[0], stanzas[0], rows[i].key);
    const struct gr_fact *b = gr_explained_fact(&heads[1], both[1], stanzas[1], rows[i].key);
    bool any = (a && a->value != 0) || (b && b->value != 0);
    if (!any && (strcmp(rows[i].key, "spills") != 0 || (!a && !b)))
        return false;
    const bool is_amd = heads[0].device && gr_device_is_amd(heads[0].device);
    *row = (struct gr_pair_row){.label = is_amd && rows[i].amd ? rows[i].amd : rows[i].label};
    put_value(a, row->values[0]);
    put_value(b, row->values[1]);
    if (a && b && !a->word && !b->word && a->value > 0)
        snprintf(row->ratio, sizeof row->ratio, "%.4g", b->value / a->value);
    return true;
}

int gr_explanation_compare(const struct gr_explained_head heads[2],
                           const struct gr_explained *const both[2], struct gr_pair_row *found)
{
    const int stanzas[2] = {gr_explained_stanza(&heads[0], both[0]),
                            gr_explained_stanza(&heads[1], both[1])};
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        count += put_row(heads, both, stanzas, i, &found[count]);
    return count;
}

static void add_row(const struct gr_pair_row *row, struct gr_str *out)
{
    gr_str_printf(out, "  %-*s", LABEL, row->label);
    for (int i = 0; i < 2; i++)
        gr_str_printf(out, "%*.*s", COLUMN, COLUMN - 1, *row->values[i] ? row->values[i] : "-");
    gr_str_printf(out, *row->ratio ? "%11s\n" : "%s\n", row->ratio);
}

static void add_heading(struct gr_str *out, const char *heading, bool colour)
{
    gr_str_printf(out, "\n%s%s%s\n", colour ? "\033[1m" : "", heading, colour ? "\033[m" : "");
}

/* Has the other kernel the same finding, on whatever line? */
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

static void say_coverage(const struct gr_explained_head *head, const struct gr_explained *e,
                         struct gr_str *out)
{
    gr_explanation_headline(head, out);
    gr_str_printf(out, "%s%s%s. ", *head->params ? " (" : "", head->params,
                  *head->params ? ")" : "");
    if (e->trace_count > 0) {
        enum gr_coverage worst = GR_COVERAGE_WHOLE;
        for (int i = 0; i < e->trace_count; i++)
            worst = e->traces[i].coverage > worst ? e->traces[i].coverage : worst;
        gr_str_printf(out, "Counts are %s.\n",
                      worst == GR_COVERAGE_SAMPLED ? "sampled, not exact" : "exact");
    } else {
        gr_str_printf(out, "Not simulated%s%s\n", e->untraced ? ": " : ".",
                      e->untraced ? e->untraced : "");
    }
}

void gr_explanation_against_circumstances(const struct gr_explained_head heads[2],
                                          const struct gr_explained *const both[2],
                                          struct gr_str *out)
{
    gr_explained_problem(&heads[0], out);
    gr_str_printf(out, " Device: %s, %s.\n", heads[0].device->name, heads[0].arch);
    for (int i = 0; i < 2; i++)
        say_coverage(&heads[i], both[i], out);
}

static void add_indented(const char *text, int columns, struct gr_str *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        gr_str_printf(out, "%*s", INDENT, "");
        gr_text_wrap(out, text, length, INDENT, columns);
        text += length + (text[length] == '\n');
    }
}

void gr_explanation_against(const struct gr_explained_head heads[2],
                            const struct gr_explained *const both[2], const struct gr_style *style,
                            struct gr_str *out)
{
    struct gr_pair_row compared[GR_COMPARED];
    int count = gr_explanation_compare(heads, both, compared);
    int columns = style->columns ? style->columns : USUAL_COLUMNS;
    struct gr_str text = {0};
    char only[160];
    gr_str_printf(out, "%s%s against %s%s\n", style->colour ? "\033[1m" : "", heads[0].kernel->name,
                  heads[1].kernel->name, style->colour ? "\033[m" : "");
    gr_explanation_against_circumstances(heads, both, &text);
    add_indented(gr_str_text(&text), columns, out);
    gr_str_free(&text);
    gr_str_printf(out, "\n  %-*s%*.*s%*.*s%11s\n", LABEL, "", COLUMN, COLUMN - 1,
                  heads[0].kernel->name, COLUMN, COLUMN - 1, heads[1].kernel->name, "ratio");
    for (int i = 0; i < count; i++)
        add_row(&compared[i], out);
    bool judged = gr_explained_verdict(both[0]) || gr_explained_verdict(both[1]);
    for (int i = 0; i < 2 && judged; i++) {
        snprintf(only, sizeof only, "Only %.120s has", heads[i].kernel->name);
        add_findings_of(both[i], both[1 - i], only, style, columns, out);
    }
    add_common(both, style, columns, out);
}
