/* html.c: the page of a run: the results, the pictures, the tables, the machine.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "records/steady.h"

#include "report/markup.h"
#include "report/svg.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void gr_html_open(const char *title, struct gr_str *out)
{
    gr_html_open_scripted(title, NULL, NULL, out);
}

void gr_html_open_scripted(const char *title, const char *script, const char *rules,
                           struct gr_str *out)
{
    /* The content security policy enforces that the page is self-contained: even if text of a third
     * party escaped its quotes, nothing would be executed or loaded. */
    gr_str_add(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'; img-src data:");
    if (script)
        gr_str_printf(out, "; script-src '%s'", script);
    gr_str_add(out, "\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n"
                    "<link rel=\"icon\" href=\"data:,\">\n<title>Gradus: ");
    gr_markup_add(out, title);
    gr_str_add(out, "</title>\n");
    gr_html_style(out);
    if (rules)
        gr_str_printf(out, "<style>\n%s</style>\n", rules);
    gr_str_add(out, "</head>\n<body>\n<main>\n");
}

void gr_html_close(struct gr_str *out)
{
    gr_str_add(out, "</main>\n</body>\n</html>\n");
}

/* The row that summarises the run: the best kernel of the largest size that has one. */
static const struct gr_row *headline(const struct gr_groups *groups)
{
    const struct gr_row *best = NULL;
    for (int i = 0; i < groups->count; i++) {
        const struct gr_row *row = gr_group_best(&groups->items[i]);
        const double work = row ? gr_problem_flops(&row->problem) : 0,
                     most = best ? gr_problem_flops(&best->problem) : 0;
        if (row && (work > most || (work == most && gr_row_is_better(row, best))))
            best = row;
    }
    return best;
}

static void add_headline(const struct gr_row *best, struct gr_str *out)
{
    char size[64], rate[GR_WORD], peak[GR_WORD], share[GR_WORD];
    const bool has_share = best->speedup.n > 0 && best->peer.name[0];
    gr_size_name(best->problem.m, best->problem.n, best->problem.k, size, sizeof size);
    gr_word_rate(best->gflops, rate);
    gr_word_peak(best, peak);
    gr_word_ratio(&best->speedup, true, share);
    gr_str_add(out, "<p class=\"lead\">At size ");
    gr_markup_printf(out, "%s the %s kernel is ", size, has_share ? "best" : "fastest");
    gr_str_add(out, "<b>");
    gr_markup_add(out, gr_row_name(best));
    gr_str_add(out, "</b>");
    if (has_share)
        gr_markup_printf(out, " with %s the speed of %s, at %s GFLOP/s", share, best->peer.name,
                         rate);
    else
        gr_markup_printf(out, " with %s GFLOP/s", rate);
    if (peak[0])
        gr_markup_printf(out, ", %s of the measured peak", peak);
    gr_str_add(out, ".</p>\n");
}

static bool is_simulated(const struct gr_run *run)
{
    return run->row_count > 0 && run->rows[0].simulated;
}

static void add_lead(const struct gr_run *run, const struct gr_groups *groups, struct gr_str *out)
{
    const struct gr_row *best = headline(groups);
    int bad = 0;
    for (int i = 0; i < run->row_count; i++)
        bad += gr_row_is_bad(&run->rows[i]);
    if (best)
        add_headline(best, out);
    if (is_simulated(run)) {
        gr_str_add(out, "<p class=\"lead\">");
        gr_markup_printf(
            out,
            "%s on the processor: the kernels' memory requests are counted, and no speed is known.",
            run->environment.gpu ? run->environment.gpu : "Simulated");
        gr_str_add(out, "</p>\n");
    }
    if (bad)
        gr_str_printf(
            out, "<p><span class=\"badge bad\">%d</span> row%s failed and show%s no speed.</p>\n",
            bad, bad == 1 ? "" : "s", bad == 1 ? "s" : "");
}

static void add_notice(struct gr_str *out, const char *badge, struct gr_str *text)
{
    if (text->length) {
        gr_str_printf(out, "<p><span class=\"badge warn\">%s</span> ", badge);
        gr_markup_add(out, gr_str_text(text));
        gr_str_add(out, ".</p>\n");
    }
    gr_str_free(text);
}

/* Appends notices that concern the run as a whole. */
static void add_notices(const struct gr_run *run, struct gr_str *out)
{
    struct gr_str partial = {0}, unsteady = {0};
    if (run->stopped)
        gr_run_format_partial(run, true, &partial);
    gr_run_format_unsteady(run, &unsteady);
    add_notice(out, "partial", &partial);
    add_notice(out, "unsteady", &unsteady);
}

void gr_html_begin_figure(const struct gr_picture *picture, struct gr_str *out)
{
    gr_str_add(out, "<figure>\n<div class=\"wide\">\n");
    gr_svg_render(picture, GR_HTML_WIDE, out);
    gr_str_add(out, "</div>\n<div class=\"narrow\">\n");
    gr_svg_render(picture, GR_HTML_NARROW, out);
    gr_str_add(out, "</div>\n<figcaption>");
    gr_markup_add(out, picture->caption);
}

void gr_html_picture(const struct gr_picture *picture, struct gr_str *out)
{
    gr_str_add(out, "<section>\n<h2>");
    gr_markup_add(out, picture->title);
    gr_str_add(out, "</h2>\n");
    gr_html_begin_figure(picture, out);
    gr_str_printf(out, " For a paper: <a href=\"%s.gp\">%s.gp</a>, <a href=\"%s.dat\">%s.dat</a>.",
                  picture->name, picture->name, picture->name, picture->name);
    gr_str_add(out, "</figcaption>\n</figure>\n</section>\n");
}

static void add_fact(struct gr_str *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    gr_str_printf(out, "<dt>%s</dt><dd>", label);
    gr_markup_add(out, text);
    gr_str_add(out, "</dd>\n");
}

static void add_environment(const struct gr_environment *e, struct gr_str *out)
{
    struct gr_str ceilings = {0};
    char number[24];
    for (int i = 0; i < e->ceiling_count; i++) {
        gr_str_add(&ceilings, i ? ", " : "");
        gr_ceiling_format(&e->ceilings[i], &ceilings);
    }
    gr_str_add(out, "<section>\n<h2>The machine and the run</h2>\n<dl class=\"facts\">\n");
    add_fact(out, "CPU", e->cpu);
    add_fact(out, "Instruction set", e->isa);
    snprintf(number, sizeof number, "%d", e->cores);
    add_fact(out, "Cores allowed", e->cores > 0 ? number : NULL);
    add_fact(out, "Caches", e->caches);
    add_fact(out, "GPU", e->gpu);
    add_fact(out, "Measured ceilings", gr_str_text(&ceilings));
    add_fact(out, "System", e->system);
    add_fact(out, "Compiler", e->compiler);
    add_fact(out, "Gradus", e->version);
    add_fact(out, "Inputs", e->fill);
    snprintf(number, sizeof number, "%" PRIu64, e->seed);
    add_fact(out, "Seed", number);
    add_fact(out, "Date", e->date);
    gr_str_add(out, "</dl>\n");
    gr_str_free(&ceilings);
    if (e->command && *e->command) {
        gr_str_add(out, "<p>To run it again:</p>\n<pre tabindex=\"0\">");
        gr_markup_add(out, e->command);
        gr_str_add(out, "</pre>\n");
    }
    gr_str_add(out, "</section>\n");
}

void gr_html_page(const struct gr_run *run, const struct gr_groups *groups,
                  const struct gr_pictures *pictures, const struct gr_chapters *chapters,
                  struct gr_str *out)
{
    gr_html_open(run->title ? run->title : "report", out);
    gr_str_add(out, "<header>\n<p class=\"over\">Gradus");
    if (run->environment.date) {
        gr_str_add(out, " &middot; ");
        gr_markup_add(out, run->environment.date);
    }
    gr_str_add(out, "</p>\n<h1>");
    gr_markup_add(out, run->title ? run->title : "Report");
    gr_str_add(out, "</h1>\n");
    if (run->environment.cpu) {
        gr_str_add(out, "<p class=\"muted\">");
        gr_markup_add(out, run->environment.cpu);
        gr_str_add(out, "</p>\n");
    }
    if (!run->sweep)
        add_lead(run, groups, out);
    add_notices(run, out);
    gr_str_add(out, "</header>\n");
    if (run->sweep)
        gr_html_sweep(run, pictures, out);
    for (int i = 0; i < pictures->count && !run->sweep; i++)
        gr_html_picture(&pictures->items[i], out);
    for (int i = 0; i < groups->count && !run->sweep; i++)
        gr_html_table(run, &groups->items[i], i + 1, out);
    if (chapters)
        gr_html_chapters(chapters, out);
    add_environment(&run->environment, out);
    gr_str_add(out, "<footer>The same as data: <a href=\"run.json\">run.json</a>, "
                    "<a href=\"run.csv\">run.csv</a>, <a href=\"run.md\">run.md</a>. ");
    gr_str_add(out, is_simulated(run)
                        ? "Nothing was timed: each product was verified on the processor, and the "
                          "kernels' memory requests were counted by a simulation.</footer>\n"
                        : "Each speed was measured in the same run as the peer's, after the result "
                          "had been verified; brackets hold the 95&nbsp;% interval.</footer>\n");
    gr_html_close(out);
}
