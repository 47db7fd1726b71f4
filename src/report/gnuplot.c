/* gnuplot.c: pictures as gnuplot scripts and data. SPDX-License-Identifier: MIT */
#include "report/gnuplot.h"

#include "base/utf8.h"

#include <string.h>

/* A text in single quotes, where gnuplot runs no backquoted command; its quotes are doubled. */
static void add_quoted(struct gr_str *out, const char *text)
{
    gr_str_add(out, "'");
    for (; text && *text; text++)
        gr_str_add(out, *text == '\'' ? "''" : (char[]){*text, 0});
    gr_str_add(out, "'");
}

static void add_setting(struct gr_str *out, const char *setting, const char *text)
{
    gr_str_printf(out, "set %s ", setting);
    add_quoted(out, text);
    gr_str_add(out, " noenhanced\n");
}

static void add_rules(const struct gr_picture *p, struct gr_str *out)
{
    for (int i = 0; i < p->rule_count; i++) {
        gr_str_printf(out, ", \\\n    %.9g with lines dashtype %d linewidth 1.5 title ",
                      p->rules[i].value, p->rules[i].role == GR_DRAWN_PEER ? 2 : 1);
        add_quoted(out, p->rules[i].label);
    }
    gr_str_add(out, "\n");
}

static void add_bars(const struct gr_picture *p, struct gr_str *out)
{
    gr_str_add(out, "set style fill solid 0.8 noborder\nset boxwidth 0.65\n"
                    "set xtics rotate by 35 right nomirror noenhanced\nset offsets 0, 0, graph "
                    "0.05, 0\nset yrange [0:*]\n");
    add_setting(out, "ylabel", p->x_label);
    gr_str_add(out, "plot data index 0 using 0:1:xtic(2) with boxes notitle");
    add_rules(p, out);
}

static void add_curves(const struct gr_picture *p, struct gr_str *out)
{
    add_setting(out, "xlabel", p->x_label);
    add_setting(out, "ylabel", p->y_label);
    if (p->x_log)
        gr_str_printf(out, "set logscale x%s\n", p->kind == GR_PICTURE_LINES ? " 2" : "");
    gr_str_add(out, p->y_log ? "set logscale y\n"
                             : "set offsets graph 0, 0, graph 0.05, 0\nset yrange [0:*]\n");
    gr_str_add(out, "set grid\n");
    gr_str_add(out, "plot ");
    for (int i = 0; i < p->series_count; i++) {
        const struct gr_series *series = &p->series[i];
        bool line = series->role == GR_DRAWN_ROOF || series->role == GR_DRAWN_REACH;
        bool points = p->kind == GR_PICTURE_ROOFLINE && !line;
        gr_str_printf(out, "%sdata index %d using 1:2 with %s%s title ", i ? ", \\\n    " : "", i,
                      points ? "points pointsize 1.2"
                      : line ? "lines linewidth 1.5"
                             : "linespoints",
                      series->role == GR_DRAWN_PEER && !points ? " dashtype 2" : "");
        add_quoted(out, series->name);
    }
    add_rules(p, out);
}

void gr_gnuplot_script(const struct gr_picture *p, struct gr_str *out)
{
    const char *output = p->output ? p->output : p->name;
    gr_str_printf(out,
                  "# gnuplot %s.gp makes %s.svg; for a paper: set terminal cairolatex or pdf\n",
                  p->name, output);
    gr_str_printf(out,
                  "set terminal svg size 880,520 dynamic background 'white'\nset output '%s.svg'\n",
                  output);
    gr_str_printf(out, "data = '%s.dat'\n", p->name);
    gr_str_add(out, "set datafile separator tab\nset key outside right noenhanced\n");
    add_setting(out, "title", p->title);
    if (p->kind == GR_PICTURE_BARS)
        add_bars(p, out);
    else
        add_curves(p, out);
}

/* The value first: a name that begins with '#' would make its line a comment, and a '"' would open
 * a quotation. */
static void add_bar(const struct gr_point *bar, struct gr_str *out)
{
    gr_str_printf(out, "%.9g\t", bar->x);
    for (const char *p = bar->label; *p; p++)
        gr_str_add_bytes(out, *p == '"' ? "'" : p, 1);
    gr_str_add(out, "\n");
}

void gr_gnuplot_data(const struct gr_picture *p, struct gr_str *out)
{
    bool bars = p->kind == GR_PICTURE_BARS;
    for (int i = 0; i < p->series_count; i++) {
        gr_str_printf(out, "%s# %s\n# %s\t%s\n", i ? "\n\n" : "", p->series[i].name, p->x_label,
                      bars ? "name" : p->y_label);
        for (int j = 0; j < p->series[i].count; j++) {
            const struct gr_point *point = &p->series[i].points[j];
            if (bars)
                add_bar(point, out);
            else
                gr_str_printf(out, "%.9g\t%.9g\n", point->x, point->y);
        }
    }
}
