/* gnuplot.c: pictures as gnuplot scripts and data files. SPDX-License-Identifier: MIT */
#include "report/gnuplot.h"

#include "base/utf8.h"
#include "report/svg.h"

#include <string.h>

/* Appends a string in single quotes, in which gnuplot does not execute backquoted commands. Single
 * quotes in it are doubled. */
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

/* Draws a line from the value in the third column to that in the fourth, with a bar at each end. */
#define WHISKERS " with vectors heads size graph 0.006,90 linecolor rgb 'black' notitle"

/* As on the page, each peer has its own colour, dashes and hollow mark. */
static void add_look(enum gr_role_drawn role, int look, bool points, struct gr_str *out)
{
    static const char *const kernels[] = {"#0059a8", "#00724c", "#96307a", "#6e5600",
                                          "#4a4fb3", "#a02c2c", "#006a78", "#3d4650"};
    static const char *const colours[GR_LOOKS] = {"#b34700", "#6a1b9a", "#1f1f1f",
                                                  "#b0005c", "#4f5d00", "#37474f"};
    if (role == GR_DRAWN_KERNEL || role == GR_DRAWN_BOUND)
        gr_str_printf(out, " linecolor rgb '%s'", kernels[look % 8]);
    if (role == GR_DRAWN_ROOF)
        gr_str_add(out, " linecolor rgb '#5b4a99' dashtype 1");
    if (role != GR_DRAWN_PEER)
        return;
    gr_str_printf(out, " linecolor rgb '%s'", colours[look % GR_LOOKS]);
    if (!points)
        gr_str_printf(out, " dashtype %d", 2 + look % 4);
}

/* The point types of gnuplot: circle, square, triangle, …, hollow or filled. */
static int point_type(int look, bool hollow)
{
    enum { SHAPES = 5 };
    static const int shapes[SHAPES] = {6, 4, 8, 12, 10};
    return shapes[look % SHAPES] + !hollow;
}

static void add_rules(const struct gr_picture *p, struct gr_str *out)
{
    for (int i = 0; i < p->rule_count; i++) {
        gr_str_printf(out, ", \\\n    %.9g with lines", p->rules[i].value);
        add_look(p->rules[i].role, p->rules[i].look, false, out);
        gr_str_add(out, " linewidth 1.5 title ");
        add_quoted(out, p->rules[i].label);
    }
    gr_str_add(out, "\n");
}

static void add_bars(const struct gr_picture *p, struct gr_str *out)
{
    gr_str_add(out, "set style fill solid noborder\nset boxwidth 0.65\n"
                    "set xtics rotate by 35 right nomirror noenhanced\nset offsets 0, 0, graph "
                    "0.05, 0\nset yrange [0:*]\n");
    add_setting(out, "ylabel", p->x_label);
    gr_str_add(out,
               "plot data index 0 using 0:1:xtic(2) with boxes linecolor rgb '#2f74b8' notitle");
    if (gr_picture_has_intervals(p))
        gr_str_add(out, ", \\\n    data index 0 using 0:3:(0):($4-$3)" WHISKERS);
    add_rules(p, out);
}

static bool has_intervals(const struct gr_series *series)
{
    for (int i = 0; i < series->count; i++)
        if (series->points[i].hi > 0)
            return true;
    return false;
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
        gr_str_printf(out, "%sdata index %d using 1:2 with %s", i ? ", \\\n    " : "", i,
                      points ? "points pointsize 1.2"
                      : line ? "lines linewidth 1.5"
                             : "linespoints");
        bool peer = series->role == GR_DRAWN_PEER;
        add_look(series->role, peer ? series->look : i, points, out);
        if (!line)
            gr_str_printf(
                out, " pointtype %d",
                point_type(peer ? series->look : i, peer || series->role == GR_DRAWN_BOUND));
        gr_str_add(out, " title ");
        add_quoted(out, series->name);
        if (has_intervals(series))
            gr_str_printf(out, ", \\\n    data index %d using 1:3:(0):($4-$3)" WHISKERS, i);
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

/* Appends the interval in two more columns. */
static void add_interval(const struct gr_point *point, double value, struct gr_str *out)
{
    bool known = point->hi > 0;
    gr_str_printf(out, "\t%.9g\t%.9g", known ? point->lo : value, known ? point->hi : value);
}

/* The value comes first, because gnuplot would treat a line that begins with '#' as a comment, and
 * '"' as the beginning of a string. */
static void add_bar(const struct gr_point *bar, struct gr_str *out)
{
    gr_str_printf(out, "%.9g\t", bar->x);
    for (const char *p = bar->label; *p; p++)
        gr_str_add_bytes(out, *p == '"' ? "'" : p, 1);
    add_interval(bar, bar->x, out);
    gr_str_add(out, "\t");
    for (const char *p = bar->note; p && *p; p++)
        gr_str_add_bytes(out, *p == '"' ? "'" : p, 1);
    gr_str_add(out, "\n");
}

static void add_point(const struct gr_point *point, bool intervals, struct gr_str *out)
{
    gr_str_printf(out, "%.9g\t%.9g", point->x, point->y);
    if (intervals)
        add_interval(point, point->y, out);
    gr_str_add(out, "\n");
}

void gr_gnuplot_data(const struct gr_picture *p, struct gr_str *out)
{
    bool bars = p->kind == GR_PICTURE_BARS;
    if (p->left_out)
        gr_str_printf(out, "# unsteady, left out: %s\n", p->left_out);
    for (int i = 0; i < p->series_count; i++) {
        gr_str_printf(out, "%s# %s\n# %s\t%s%s\n", i ? "\n\n" : "", p->series[i].name, p->x_label,
                      bars ? "name" : p->y_label,
                      bars                           ? "\tfrom\tto\tnote"
                      : has_intervals(&p->series[i]) ? "\tfrom\tto"
                                                     : "");
        for (int j = 0; j < p->series[i].count; j++) {
            const struct gr_point *point = &p->series[i].points[j];
            if (bars)
                add_bar(point, out);
            else
                add_point(point, has_intervals(&p->series[i]), out);
        }
    }
}
