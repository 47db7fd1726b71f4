/* explained_json.c: an explained kernel as JSON; docs/json.md is the schema.
 * SPDX-License-Identifier: MIT */
#include "report/explained.h"

#include "report/explained_counts.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <math.h>

static void add_string(struct gr_str *out, const char *name, const char *value)
{
    gr_str_printf(out, ",\n  \"%s\": ", name);
    if (value && *value)
        gr_json_add_text(out, value);
    else
        gr_str_add(out, "null");
}

/* Writes m, n and k for a GEMM, or the named sizes of another kernel. */
static void add_problem(const struct gr_explained_head *head, struct gr_str *out)
{
    const struct gr_kernel *k = head->kernel;
    const struct gr_problem *p = head->problem;
    if (!gr_kernel_has_workload(k)) {
        gr_str_printf(out, ",\n  \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64, p->m,
                      p->n, p->k);
        return;
    }
    gr_str_add(out, ",\n  \"sizes\": {");
    for (int i = 0; i < k->size_count; i++) {
        gr_str_add(out, i ? ", " : "");
        gr_json_add_text(out, k->sizes[i].name.text);
        gr_str_printf(out, ": %" PRId64, p->sizes[i]);
    }
    gr_str_add(out, "}");
}

static void add_head(const struct gr_explained_head *head, const struct gr_explained *e,
                     struct gr_str *out)
{
    const struct gr_problem *p = head->problem;
    char types[80];
    gr_types_name(p->types, types, sizeof types);
    gr_str_add(out, "{\n  \"schema\": \"gradus-explain\",\n  \"schema_version\": 1");
    add_string(out, "kernel", head->kernel->name);
    add_string(out, "title", head->kernel->title);
    add_problem(head, out);
    add_string(out, "types", types);
    if (!gr_kernel_has_workload(head->kernel))
        add_string(out, "trans", gr_problem_trans(p));
    add_string(out, "params", head->params);
    add_string(out, "device", head->device->name);
    add_string(out, "arch", head->arch);
    add_string(out, "compiler", e->cubin.compiler);
    add_string(out, "skip", e->skip);
    add_string(out, "refused", e->refused);
    add_string(out, "notes", e->notes);
    add_string(out, "untraced", e->untraced);
    add_string(out, "command", head->command);
    add_string(out, "verdict", gr_explained_verdict(e));
}

static void add_fact(struct gr_str *out, const struct gr_fact *fact)
{
    gr_json_add_text(out, fact->key);
    gr_str_add(out, ": ");
    if (fact->word)
        gr_json_add_text(out, fact->word);
    else if (isfinite(fact->value))
        gr_str_printf(out, "%.10g", fact->value);
    else
        gr_str_add(out, "null"); /* JSON has neither NaN nor infinity */
}

static void add_facts(const struct gr_explanation *x, struct gr_str *out)
{
    const char *between = "\n    ";
    gr_str_add(out, ",\n  \"facts\": {");
    for (int s = 0; s < x->section_count; s++) {
        for (int i = 0; i < x->sections[s].fact_count; i++) {
            gr_str_add(out, between);
            add_fact(out, &x->sections[s].facts[i]);
            between = ",\n    ";
        }
    }
    gr_str_add(out, "\n  }");
}

/* Writes a number of an advice, or null if it has none. */
static void add_number(struct gr_str *out, const char *name, bool known, double value)
{
    if (known)
        gr_str_printf(out, ", \"%s\": %.10g", name, value);
    else
        gr_str_printf(out, ", \"%s\": null", name);
}

static void add_findings(const struct gr_findings *findings, struct gr_str *out)
{
    gr_str_add(out, ",\n  \"findings\": [");
    for (int i = 0; i < findings->count; i++) {
        const struct gr_finding *f = &findings->items[i];
        gr_str_printf(out, "%s\n    {\"kind\": \"%s\", \"severity\": \"%s\"", i ? "," : "",
                      gr_finding_name(f->kind), gr_severity_name(f->severity));
        add_number(out, "line", f->line > 0, f->line);
        gr_str_add(out, ", \"array\": ");
        if (*f->about)
            gr_json_add_text(out, f->about);
        else
            gr_str_add(out, "null");
        gr_str_add(out, ", \"text\": ");
        gr_json_add_text(out, f->text);
        add_number(out, "now", f->unit != NULL, f->now);
        add_number(out, "mended", f->unit != NULL, f->fixed);
        gr_str_add(out, ", \"unit\": ");
        if (f->unit)
            gr_json_add_text(out, f->unit);
        else
            gr_str_add(out, "null");
        add_number(out, "saves_s", f->saves_s > 0, f->saves_s);
        gr_str_add(out, "}");
    }
    gr_str_add(out, "\n  ]");
}

static void add_expectations(const struct gr_explanation *x, struct gr_str *out)
{
    gr_str_add(out, ",\n  \"expect\": [");
    for (int i = 0; i < x->expectation_count; i++) {
        gr_str_printf(out, "%s\n    {\"line\": %d, \"expression\": ", i ? "," : "",
                      x->expectations[i].line);
        gr_json_add_text(out, x->expectations[i].expression);
        gr_str_printf(out, ", \"verdict\": \"%s\", \"found\": ",
                      gr_expectation_name(x->expectations[i].verdict));
        gr_json_add_text(out, x->expectations[i].found ? x->expectations[i].found : "");
        gr_str_add(out, "}");
    }
    gr_str_add(out, "\n  ]");
}

void gr_explanation_json(const struct gr_explained_head *head, const struct gr_explained *e,
                         struct gr_str *out)
{
    add_head(head, e, out);
    gr_explained_counts_json(head, e, out);
    add_findings(&e->explanation.findings, out);
    add_expectations(&e->explanation, out);
    add_facts(&e->explanation, out);
    gr_str_add(out, "\n}");
}

void gr_explained_json(const struct gr_explained_head *heads,
                       const struct gr_explained *const *explained, int count,
                       const struct gr_style *style, struct gr_str *out)
{
    (void)style;
    gr_str_add(out, count > 1 ? "{\"kernels\": [\n" : "");
    for (int i = 0; i < count; i++) {
        gr_explanation_json(&heads[i], explained[i], out);
        gr_str_add(out, i + 1 < count ? ",\n" : "\n");
    }
    gr_str_add(out, count > 1 ? "]}\n" : "");
}
