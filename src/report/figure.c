/* figure.c: the common parts of the pictures of a kernel. SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/html.h"
#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void gr_figure_free(struct gr_figure *f)
{
    free(f->name);
    free(f->title);
    free(f->caption);
    free(f->alt);
    gr_str_free(&f->wide);
    gr_str_free(&f->narrow);
    gr_str_free(&f->script);
    gr_str_free(&f->data);
    *f = (struct gr_figure){0};
}

void gr_figure_draw(struct gr_figure *f, gr_draw_fn *draw, const void *model)
{
    f->failed |= !f->name || !f->title || !f->caption || !f->alt;
    if (f->failed)
        return;
    draw(model, f, GR_HTML_WIDE, &f->wide);
    draw(model, f, GR_HTML_NARROW, &f->narrow);
    f->failed |= f->wide.failed || f->narrow.failed || f->script.failed || f->data.failed;
}

void gr_figure_script(struct gr_figure *f, const char *columns, int height)
{
    gr_str_printf(&f->script,
                  "# gnuplot %s.gp makes %s-plot.svg; for a paper: set terminal cairolatex or pdf\n"
                  "# %s.dat: %s\n"
                  "set terminal svg size 880,%d dynamic background 'white'\n"
                  "set output '%s-plot.svg'\ndata = '%s.dat'\nset datafile separator tab\n",
                  f->name, f->name, f->name, columns, height, f->name, f->name);
}

void gr_word_offset(const char *array, int64_t bytes, char *word, size_t size)
{
    const char *blank = *array ? " " : "", *sign = bytes < 0 ? "-" : "+";
    int64_t distance = bytes < 0 ? -bytes : bytes;
    if (distance >= 1 << 20 && distance % (1 << 20) == 0)
        snprintf(word, size, "%.60s%s%s %" PRId64 " MB", array, blank, sign, distance >> 20);
    else if (distance >= 1024 && distance % 1024 == 0)
        snprintf(word, size, "%.60s%s%s %" PRId64 " KB", array, blank, sign, distance >> 10);
    else
        snprintf(word, size, "%.60s%s%s %" PRId64, array, blank, sign, distance);
}

void gr_site_format(const struct gr_figure_site *where, struct gr_str *out)
{
    const struct gr_trace_site *s = where->site;
    const struct gr_trace_array *array = gr_trace_array_of(where->trace, s);
    if (*where->kernel)
        gr_str_printf(out, "%s, ", where->kernel);
    if (*s->file)
        gr_str_printf(out, "%s ", s->file);
    if (s->line > 0)
        gr_str_printf(out, "line %d", s->line);
    else
        gr_str_printf(out, "code at %" PRIx64, s->code);
    if (s->column > 0)
        gr_str_printf(out, ", column %d", s->column);
    gr_str_printf(out, ": %s of %s", gr_access_name(s->access),
                  array ? array->name : "several arrays");
}

struct gr_site_cost gr_site_cost_of(const struct gr_trace_site *s)
{
    bool global = s->space == GR_SPACE_GLOBAL;
    double requests = s->requests > 0 ? (double)s->requests : 1;
    int64_t cost = global ? s->sectors : s->wavefronts;
    int64_t ideal = global ? s->sectors_ideal : s->wavefronts_ideal;
    /* If lanes read the same bytes, a request can cost less than its ideal, which assumes adjacent
     * bytes; then the cost is the ideal. */
    return (struct gr_site_cost){(double)cost / requests,
                                 (double)(ideal < cost ? ideal : cost) / requests,
                                 global ? "sector" : "wavefront"};
}

void gr_site_format_cost(const struct gr_site_cost *c, struct gr_str *out)
{
    gr_str_printf(out, "%.4g %s%s a request, ", c->each, c->unit, c->each == 1 ? "" : "s");
    if (c->each > c->best)
        gr_str_printf(out, "where %.4g would do", c->best);
    else
        gr_str_add(out, "the fewest there can be");
}

void gr_site_format_request(const struct gr_trace_site *s, struct gr_str *out)
{
    const struct gr_site_cost cost = gr_site_cost_of(s);
    gr_str_printf(out,
                  "It is the costliest request seen: %d bytes a lane, block (%d, %d, %d), from "
                  "thread %d on. Over all %" PRId64 " requests of this place: ",
                  s->bytes, s->pattern_block[0], s->pattern_block[1], s->pattern_block[2],
                  s->pattern_thread, s->requests);
    gr_site_format_cost(&cost, out);
    gr_str_add(out, ".");
    if (s->source_bytes < s->bytes)
        gr_str_printf(out, " The source writes %d bytes; neighbours were merged.", s->source_bytes);
}

void gr_legend_item(struct gr_legend *g, const char *style, const char *words)
{
    double width = 22 + gr_svg_text_width(words);
    if (g->x > g->left && g->x + width > g->right) {
        g->x = g->left;
        g->y += 18;
    }
    gr_svg_box(g->out, style, g->x + 0.5, g->y - 9.5, 11, 11, NULL);
    gr_svg_text(g->out, "tick", GR_ANCHOR_START, g->x + 17, g->y, words);
    g->x += width + 14;
}
