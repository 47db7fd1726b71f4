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
                    "set xtics rotate by -35 noenhanced\nset yrange [0:*]\n");
    add_setting(out, "ylabel", p->x_label);
    gr_str_add(out, "plot data index 0 using 0:2:xtic(1) with boxes notitle");
    add_rules(p, out);
}

static void add_curves(const struct gr_picture *p, struct gr_str *out)
{
    add_setting(out, "xlabel", p->x_label);
    add_setting(out, "ylabel", p->y_label);
    gr_str_add(out, p->x_log ? "set logscale x\n" : "");
    gr_str_add(out, p->y_log ? "set logscale y\n" : "set yrange [0:*]\n");
    gr_str_add(out, "set grid\n");
    gr_str_add(out, "plot ");
    for (int i = 0; i < p->series_count; i++) {
        const struct gr_series *series = &p->series[i];
        bool points = p->kind == GR_PICTURE_ROOFLINE && series->role != GR_DRAWN_ROOF;
        gr_str_printf(out, "%sdata index %d using 1:2 with %s%s title ", i ? ", \\\n    " : "", i,
                      points                          ? "points pointsize 1.2"
                      : series->role == GR_DRAWN_ROOF ? "lines linewidth 1.5"
                                                      : "linespoints",
                      series->role == GR_DRAWN_PEER && !points ? " dashtype 2" : "");
        add_quoted(out, series->name);
    }
    add_rules(p, out);
}

void gr_gnuplot_script(const struct gr_picture *p, struct gr_str *out)
{
    gr_str_printf(out,
                  "# gnuplot %s.gp makes %s.svg; for a paper: set terminal cairolatex or pdf\n",
                  p->name, p->name);
    gr_str_printf(out,
                  "set terminal svg size 880,520 dynamic background 'white'\nset output '%s.svg'\n",
                  p->name);
    gr_str_printf(out, "data = '%s.dat'\n", p->name);
    gr_str_add(out, "set datafile separator tab\nset key outside right noenhanced\n");
    add_setting(out, "title", p->title);
    if (p->kind == GR_PICTURE_BARS)
        add_bars(p, out);
    else
        add_curves(p, out);
}

void gr_gnuplot_data(const struct gr_picture *p, struct gr_str *out)
{
    bool bars = p->kind == GR_PICTURE_BARS;
    for (int i = 0; i < p->series_count; i++) {
        gr_str_printf(out, "%s# %s\n# %s\t%s\n", i ? "\n\n" : "", p->series[i].name,
                      bars ? "name" : p->x_label, bars ? p->x_label : p->y_label);
        for (int j = 0; j < p->series[i].count; j++) {
            const struct gr_point *point = &p->series[i].points[j];
            if (bars)
                gr_str_printf(out, "%s\t%.9g\n", point->label, point->x);
            else
                gr_str_printf(out, "%.9g\t%.9g\n", point->x, point->y);
        }
    }
}
