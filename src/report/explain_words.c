/* explain_words.c: the text of an explanation in HTML: findings, sections with their facts, and
 * claims. SPDX-License-Identifier: MIT */
#include "report/explain_page.h"

#include "records/fold.h"
#include "report/explained.h"
#include "report/markup.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *style_of(enum gr_severity severity)
{
    static const char *const styles[] = {"bad", "warn", "plain", "plain"};
    return styles[severity];
}

void gr_page_finding(const struct gr_explain_page *page, const struct gr_finding *f,
                     struct gr_str *out)
{
    gr_str_printf(out, "<li><span class=\"badge %s\">%s</span> %s: ", style_of(f->severity),
                  gr_severity_name(f->severity), gr_finding_name(f->kind));
    if (f->line > 0 && gr_page_lists(page, f->line))
        gr_str_printf(out, "<a href=\"#%sline-%d\">line %d</a>: ", page->id ? page->id : "",
                      f->line, f->line);
    else if (f->line > 0)
        gr_str_printf(out, "<b>line %d</b>: ", f->line);
    gr_markup_add(out, f->text);
    if (f->unit) {
        gr_str_add(out, "<br><small>");
        gr_markup_printf(out, "%s %s now, %s if fixed", gr_explanation_number(f->now).text, f->unit,
                         gr_explanation_number(f->fixed).text);
        if (f->saves_s > 0) {
            char time[GR_WORD];
            gr_word_time(f->saves_s * 1e9, time);
            gr_markup_printf(out, "; the time floor falls by %s", time);
        }
        gr_str_add(out, "</small>");
    }
    gr_str_add(out, "</li>\n");
}

static void add_more(const struct gr_findings *findings, const struct gr_fold *fold,
                     struct gr_str *out)
{
    struct gr_str more = {0};
    gr_fold_format(findings, fold, &more);
    if (more.length) {
        gr_str_add(out, "<li class=\"muted\">");
        gr_markup_add(out, gr_str_text(&more));
        gr_str_add(out, "</li>\n");
    }
    gr_str_free(&more);
}

void gr_page_findings(const struct gr_explain_page *page, struct gr_str *out)
{
    const struct gr_explanation *e = page->explanation;
    if (e->findings.count == 0)
        return;
    gr_str_add(out, "<section>\n<h2>Findings</h2>\n<ul class=\"findings\">\n");
    struct gr_fold fold;
    for (int i = 0; i < e->findings.count; i += fold.count) {
        fold = gr_fold_at(&e->findings, i);
        for (int j = i; j < i + fold.shown; j++)
            gr_page_finding(page, &e->findings.items[j], out);
        add_more(&e->findings, &fold, out);
    }
    gr_str_add(out, "</ul>\n</section>\n");
}

static void end_table(bool *open, struct gr_str *out)
{
    if (*open)
        gr_str_add(out, "</pre>\n");
    *open = false;
}

/* Appends prose as paragraphs, and tables unchanged. */
static void add_text(const char *text, struct gr_str *out)
{
    bool table = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = gr_strndup(text, length);
        if (*text == ' ') {
            gr_str_add(out, table ? "" : "<pre tabindex=\"0\">");
            table = true;
            gr_markup_add(out, line);
            gr_str_add(out, "\n");
        } else {
            end_table(&table, out);
            gr_str_add(out, length ? "<p>" : "");
            gr_markup_add(out, line);
            gr_str_add(out, length ? "</p>\n" : "");
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    end_table(&table, out);
}

static void add_facts(const struct gr_section *s, struct gr_str *out)
{
    if (s->fact_count == 0)
        return;
    gr_str_printf(out, "<details><summary>%d fact%s</summary>\n<dl class=\"facts\">\n",
                  s->fact_count, s->fact_count == 1 ? "" : "s");
    for (int i = 0; i < s->fact_count; i++) {
        const struct gr_fact *f = &s->facts[i];
        gr_str_add(out, "<dt><code>");
        gr_markup_add(out, f->key);
        gr_str_add(out, "</code></dt><dd>");
        if (f->word)
            gr_markup_add(out, f->word);
        else
            gr_markup_printf(out, "%.10g %s", f->value, f->unit ? f->unit : "");
        gr_str_add(out, "</dd>\n");
    }
    gr_str_add(out, "</dl>\n</details>\n");
}

static void add_claims(const struct gr_explanation *e, struct gr_str *out)
{
    if (e->expectation_count == 0)
        return;
    gr_str_add(out, "<section>\n<h2>What the file expects</h2>\n<ul class=\"findings\">\n");
    for (int i = 0; i < e->expectation_count; i++) {
        const struct gr_expectation *x = &e->expectations[i];
        gr_str_printf(out, "<li><span class=\"badge %s\">%s</span> <code>",
                      x->verdict == GR_EXPECT_HOLDS   ? "good"
                      : x->verdict == GR_EXPECT_FALSE ? "bad"
                                                      : "warn",
                      gr_expectation_name(x->verdict));
        gr_markup_add(out, x->expression);
        gr_str_add(out, "</code> ");
        gr_markup_add(out, x->found);
        gr_str_add(out, "</li>\n");
    }
    gr_str_add(out, "</ul>\n</section>\n");
}

void gr_page_sections(const struct gr_explanation *e, struct gr_str *out)
{
    for (int i = 0; i < e->section_count; i++) {
        const struct gr_section *s = &e->sections[i];
        gr_str_add(out, "<section>\n<h2>");
        gr_markup_add(out, s->title);
        gr_str_add(out, "</h2>\n");
        add_text(gr_str_text(&s->text), out);
        add_facts(s, out);
        gr_str_add(out, "</section>\n");
    }
    add_claims(e, out);
}
