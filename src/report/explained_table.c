/* explained_table.c: an explained kernel for a terminal. SPDX-License-Identifier: MIT */
#include "report/explained.h"

#include "base/text.h"
#include "records/fold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_COLUMNS = 80, WIDEST_COLUMNS = 100, INDENT = 2, FINDING_INDENT = 10 };

void gr_explanation_headline(const struct gr_explained_head *head, struct gr_str *out)
{
    gr_str_printf(out, "%s%s%s", head->kernel->name, head->kernel->title ? ": " : "",
                  head->kernel->title ? head->kernel->title : "");
}

void gr_explained_problem(const struct gr_explained_head *head, struct gr_str *out)
{
    char size[256], types[80];
    gr_kernel_size_name(head->kernel, head->problem, size, sizeof size);
    gr_types_name(head->problem->types, types, sizeof types);
    gr_str_printf(out, "Problem: %s%s%s", size, *size ? ", " : "", types);
    if (!gr_kernel_has_workload(head->kernel))
        gr_str_printf(out, ", %s", gr_problem_trans(head->problem));
    gr_str_add(out, ".");
}

void gr_explanation_circumstances(const struct gr_explained_head *head,
                                  const struct gr_explained *e, struct gr_str *out)
{
    gr_explained_problem(head, out);
    gr_str_printf(out, "%s%s\n", *head->params ? " Parameters: " : "", head->params);
    gr_str_printf(out, "Device: %s (%s).\n", head->device->name, head->why);
    if (e->cubin.length)
        gr_str_printf(out, "Compiler: %s, for %s.\n", e->cubin.compiler, head->arch);
    if (e->skip)
        gr_str_printf(out, "%s%s\nWhat follows needs no compiler.\n",
                      gr_starts_with(e->skip, "skip") ? "" : "skip: ", e->skip);
    if (e->refused)
        gr_str_printf(out, "It is not launched for this problem: %s\n", e->refused);
    if (e->untraced)
        gr_str_printf(out, "Not simulated: %s\n", e->untraced);
    if (*e->notes)
        gr_str_printf(out, "%s\n", e->notes);
}

struct gr_amount gr_explanation_number(double value)
{
    struct gr_amount amount;
    if (value >= 1e5 && value < 9e18)
        return gr_amount_count((int64_t)value);
    snprintf(amount.text, sizeof amount.text, value == floor(value) ? "%.0f" : "%.4g", value);
    return amount;
}

void gr_explanation_finding(const struct gr_finding *f, struct gr_str *out)
{
    gr_str_printf(out, "%s", gr_finding_name(f->kind));
    if (f->line > 0)
        gr_str_printf(out, ", line %d", f->line);
    gr_str_printf(out, ": %s", f->text);
    if (f->unit)
        gr_str_printf(out, " [%s %s now, %s if fixed%s%s]", gr_explanation_number(f->now).text,
                      f->unit, gr_explanation_number(f->fixed).text,
                      f->saves_s > 0 ? "; the time floor falls by " : "",
                      f->saves_s > 0 ? gr_amount_time(1e9 * f->saves_s).text : "");
    else if (f->saves_s > 0)
        gr_str_printf(out, " [the time floor falls by %s]", gr_amount_time(1e9 * f->saves_s).text);
}

/* Appends text with indentation. Lines that start with a blank are tables, and are not wrapped. */
static void add_indented(struct gr_str *out, const char *text, int columns)
{
    while (*text) {
        const char *end = gr_text_line_end(text);
        if (end > text)
            gr_str_printf(out, "%*s", INDENT, "");
        if (end == text || *text == ' ') {
            gr_str_add_bytes(out, text, (size_t)(end - text));
            gr_str_add(out, "\n");
        } else {
            gr_text_wrap(out, text, (size_t)(end - text), INDENT, columns);
        }
        text = *end ? end + 1 : end;
    }
}

static void add_heading(struct gr_str *out, const char *heading, bool colour)
{
    gr_str_printf(out, "\n%s%s%s\n", colour ? "\033[1m" : "", heading, colour ? "\033[m" : "");
}

/* Appends a finding. Faults are emphasized. */
static void add_finding(const struct gr_finding *finding, struct gr_str *out, int columns,
                        bool colour)
{
    static const char *const colours[] = {"\033[31m", "\033[33m", "", ""};
    const char *painted = colour ? colours[finding->severity] : "";
    struct gr_str line = {0};
    gr_explanation_finding(finding, &line);
    gr_str_printf(out, "  %s%-7s%s ", painted, gr_severity_name(finding->severity),
                  *painted ? "\033[m" : "");
    gr_text_wrap(out, gr_str_text(&line), line.length, FINDING_INDENT, columns);
    gr_str_free(&line);
}

/* Appends the findings, or a sentence that says that there are none. */
static void add_findings(const struct gr_explained *e, struct gr_str *out, int columns, bool colour)
{
    const struct gr_findings *findings = &e->explanation.findings;
    if (findings->count == 0 && !gr_explained_verdict(e))
        return;
    add_heading(out, "Findings", colour);
    if (findings->count == 0)
        gr_str_printf(out, "%*sNone: no fault, and no rule of advice applies.\n", INDENT, "");
    struct gr_fold fold;
    for (int i = 0; i < findings->count; i += fold.count) {
        fold = gr_fold_at(findings, i);
        for (int j = i; j < i + fold.shown; j++)
            add_finding(&findings->items[j], out, columns, colour);
        struct gr_str more = {0};
        gr_fold_format(findings, &fold, &more);
        if (more.length) {
            gr_str_printf(out, "%*s", FINDING_INDENT, "");
            gr_text_wrap(out, gr_str_text(&more), more.length, FINDING_INDENT, columns);
        }
        gr_str_free(&more);
    }
}

static void add_expectations(const struct gr_explanation *e, struct gr_str *out, int columns,
                             bool colour)
{
    if (e->expectation_count == 0)
        return;
    add_heading(out, "What the file expects", colour);
    for (int i = 0; i < e->expectation_count; i++) {
        const struct gr_expectation *x = &e->expectations[i];
        bool wrong = x->verdict == GR_EXPECT_FALSE;
        struct gr_str line = {0};
        gr_str_printf(out, "  %s%-9s%s ", wrong && colour ? "\033[31m" : "",
                      gr_expectation_name(x->verdict), wrong && colour ? "\033[m" : "");
        gr_str_printf(&line, "%s (%s)", x->expression, x->found ? x->found : "");
        gr_text_wrap(out, gr_str_text(&line), line.length, 12, columns);
        gr_str_free(&line);
    }
}

/* Keeps those paragraphs of a comment that have an indented line: they are drawings. The others are
 * prose. */
static void keep_drawings(const char *comment, struct gr_str *out)
{
    while (*comment) {
        const char *end = strstr(comment, "\n\n");
        end = end ? end + 1 : comment + strlen(comment);
        bool drawing = false;
        for (const char *line = comment; line < end; line = gr_text_line_end(line) + 1)
            drawing |= *line == ' ';
        if (drawing)
            gr_str_printf(out, "\n%.*s", (int)(end - comment), comment);
        comment = end + strspn(end, "\n");
    }
    if (out->length && out->text[out->length - 1] != '\n')
        gr_str_add(out, "\n");
}

/* Measures the common indentation of all lines, and their width without it. */
static void measure(const char *text, int *margin, int *width)
{
    int widest = 0;
    *margin = 1000;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = gr_text_line_end(text);
        int blanks = (int)strspn(text, " "), columns = gr_text_columns(text, (size_t)(end - text));
        if (end == text)
            continue;
        *margin = blanks < *margin ? blanks : *margin;
        widest = columns > widest ? columns : widest;
    }
    *width = widest - *margin;
}

/* Appends a picture, unless the terminal is too narrow for it. */
static void add_picture(const char *picture, int terminal, struct gr_str *out)
{
    struct gr_str drawings = {0};
    int margin, width;
    keep_drawings(picture ? picture : "", &drawings);
    measure(gr_str_text(&drawings), &margin, &width);
    const char *text = gr_str_text(&drawings);
    for (const char *end; *text && (terminal == 0 || width + INDENT <= terminal);
         text = *end ? end + 1 : end) {
        end = gr_text_line_end(text);
        if (end > text)
            gr_str_printf(out, "%*s%.*s", INDENT, "", (int)(end - text) - margin, text + margin);
        gr_str_add(out, "\n");
    }
    gr_str_free(&drawings);
}

static void add_one(const struct gr_explained_head *head, const struct gr_explained *e,
                    const struct gr_style *style, struct gr_str *out)
{
    int columns = style->columns ? style->columns : USUAL_COLUMNS;
    columns = columns < WIDEST_COLUMNS ? columns : WIDEST_COLUMNS;
    struct gr_str text = {0};
    for (int i = 0; i < head->kernel->ideas.count; i++)
        gr_str_printf(&text, "Idea: %s.\n", head->kernel->ideas.items[i].text);
    gr_explanation_circumstances(head, e, &text);
    gr_str_add(out, style->colour ? "\033[1m" : "");
    gr_explanation_headline(head, out);
    gr_str_add(out, style->colour ? "\033[m\n" : "\n");
    add_indented(out, gr_str_text(&text), columns);
    gr_str_free(&text);
    add_picture(head->kernel->picture, style->columns, out);
    for (int i = 0; i < e->explanation.section_count; i++) {
        const struct gr_section *section = &e->explanation.sections[i];
        add_heading(out, section->title, style->colour);
        add_indented(out, gr_str_text(&section->text), columns);
    }
    add_findings(e, out, columns, style->colour);
    add_expectations(&e->explanation, out, columns, style->colour);
}

void gr_explained_table(const struct gr_explained_head *heads,
                        const struct gr_explained *const *explained, int count,
                        const struct gr_style *style, struct gr_str *out)
{
    if (count == 2)
        gr_explanation_against(heads, explained, style, out);
    for (int i = 0; i < count && count != 2; i++)
        add_one(&heads[i], explained[i], style, out);
}
