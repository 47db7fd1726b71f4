/* explained_md.c: an explained kernel in Markdown. SPDX-License-Identifier: MIT */
#include "report/explained.h"

#include "base/text.h"
#include "records/fold.h"

/* Appends text. Lines that must not be rewrapped become a code block. */
static void add_text(struct gr_str *out, const char *text)
{
    bool code = false;
    while (*text) {
        const char *end = gr_text_line_end(text);
        bool kept = *text == ' ' || (code && *text == '\n' && end[1] == ' ');
        if (kept != code)
            gr_str_add(out, code ? "```\n\n" : "```\n");
        code = kept;
        gr_str_add_bytes(out, text, (size_t)(end - text));
        gr_str_add(out, code || end == text ? "\n" : "\n\n");
        text = *end ? end + 1 : end;
    }
    if (code)
        gr_str_add(out, "```\n\n");
}

static void add_facts(struct gr_str *out, const struct gr_section *section)
{
    if (section->fact_count == 0)
        return;
    gr_str_add(out, "| name | value | |\n|---|---:|---|\n");
    for (int i = 0; i < section->fact_count; i++) {
        const struct gr_fact *fact = &section->facts[i];
        if (fact->word)
            gr_str_printf(out, "| `%s` | %s | |\n", fact->key, fact->word);
        else
            gr_str_printf(out, "| `%s` | %.10g | %s |\n", fact->key, fact->value, fact->unit);
    }
    gr_str_add(out, "\n");
}

static void add_findings(const struct gr_explained *e, struct gr_str *out)
{
    const struct gr_findings *findings = &e->explanation.findings;
    if (findings->count == 0 && !gr_explained_verdict(e))
        return;
    gr_str_add(out, "## Findings\n\n");
    if (findings->count == 0)
        gr_str_add(out, "None: no fault, and no rule of advice applies.\n");
    struct gr_fold fold;
    for (int i = 0; i < findings->count; i += fold.count) {
        fold = gr_fold_at(findings, i);
        for (int j = i; j < i + fold.shown; j++) {
            const char *bold = findings->items[j].severity == GR_SEVERITY_FAULT ? "**" : "";
            gr_str_printf(out, "- %s%s%s: ", bold, gr_severity_name(findings->items[j].severity),
                          bold);
            gr_explanation_finding(&findings->items[j], out);
            gr_str_add(out, "\n");
        }
        if (fold.shown < fold.count) {
            gr_str_add(out, "- ");
            gr_fold_format(findings, &fold, out);
            gr_str_add(out, "\n");
        }
    }
    gr_str_add(out, "\n");
}

void gr_explanation_md(const struct gr_explained_head *head, const struct gr_explained *e,
                       struct gr_str *out)
{
    struct gr_str text = {0};
    gr_str_add(out, "# ");
    gr_explanation_headline(head, out);
    gr_str_add(out, "\n\n");
    gr_explanation_circumstances(head, e, &text);
    add_text(out, gr_str_text(&text));
    gr_str_free(&text);
    for (int i = 0; i < e->explanation.section_count; i++) {
        const struct gr_section *section = &e->explanation.sections[i];
        gr_str_printf(out, "## %s\n\n", section->title);
        add_text(out, gr_str_text(&section->text));
        add_facts(out, section);
    }
    add_findings(e, out);
    if (e->explanation.expectation_count == 0)
        return;
    gr_str_add(out, "## What the file expects\n\n| | expected | found |\n|---|---|---|\n");
    for (int i = 0; i < e->explanation.expectation_count; i++) {
        const struct gr_expectation *x = &e->explanation.expectations[i];
        gr_str_printf(out, "| %s | `%s` | %s |\n", gr_expectation_name(x->verdict), x->expression,
                      x->found ? x->found : "");
    }
}

void gr_explained_md(const struct gr_explained_head *heads,
                     const struct gr_explained *const *explained, int count,
                     const struct gr_style *style, struct gr_str *out)
{
    (void)style;
    for (int i = 0; i < count; i++)
        gr_explanation_md(&heads[i], explained[i], out);
}
