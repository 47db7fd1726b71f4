/* svg_plot.c: curves and points over two axes: the rate over the size, and the roofline. Names are
 * next to what they name, so no separate legend is needed. SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "report/axis.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 26, /* a line and a mark before a name */
    LEFT = 56,   /* numbers of six digits */
    TOP = 30,
    BOTTOM = 44,
    MARGIN = 10,
    LABEL_GAP = 15, /* from one label to the next */
    LEADER = 22,    /* from the last point to its label */
    HUES = 8,       /* the classes s0 to s7 of the style sheet */
    MOST_TICKS = 12,
};

struct plot {
    const struct gr_picture *picture;
    struct gr_str *out;
    double width, height, label_width;
    struct gr_axis x, y;
};

static double at_x(const struct plot *plot, double x)
{
    return gr_axis_at(&plot->x, x);
}

static double at_y(const struct plot *plot, double y)
{
    return gr_axis_at(&plot->y, y);
}

/* ---- The extents. ---- */

static void bounds(const struct gr_picture *p, struct gr_axis *x, struct gr_axis *y)
{
    x->lo = y->lo = INFINITY;
    x->hi = y->hi = 0;
    for (int i = 0; i < p->series_count; i++) {
        bool is_roof = p->series[i].role == GR_DRAWN_ROOF;
        for (int j = 0; j < p->series[i].count; j++) {
            const struct gr_point *point = &p->series[i].points[j];
            x->lo = point->x < x->lo ? point->x : x->lo;
            x->hi = point->x > x->hi ? point->x : x->hi;
            y->hi = point->y > y->hi ? point->y : y->hi;
            y->hi = point->hi > y->hi ? point->hi : y->hi;
            if (!is_roof)
                y->lo = point->y < y->lo ? point->y : y->lo;
        }
    }
    for (int i = 0; i < p->rule_count; i++)
        y->hi = p->rules[i].value > y->hi ? p->rules[i].value : y->hi;
}

/* Extends a logarithmic axis at its upper end, so that `room` pixels are beyond hi. */
static void make_room(struct gr_axis *axis, double room)
{
    double length = axis->to - axis->from, used = (length - room) / length;
    if (used > 0.2)
        axis->hi = axis->lo * pow(axis->hi / axis->lo, 1 / used);
}

static bool is_level(const struct gr_series *roof)
{
    return roof->points[0].y == roof->points[roof->count - 1].y;
}

/* Returns where the names begin: to the right of all marks, and in a roofline of the slopes. */
static double rightmost_mark(const struct gr_picture *p)
{
    double most = 0;
    for (int i = 0; i < p->series_count; i++) {
        const struct gr_series *series = &p->series[i];
        bool is_roof = series->role == GR_DRAWN_ROOF;
        if (is_roof && (p->kind != GR_PICTURE_ROOFLINE || series->count < 2 || is_level(series)))
            continue;
        for (int j = 0; j < series->count; j++)
            most = series->points[j].x > most ? series->points[j].x : most;
    }
    return most;
}

static void set_axes(struct plot *plot)
{
    const struct gr_picture *p = plot->picture;
    bool is_roofline = p->kind == GR_PICTURE_ROOFLINE;
    plot->x = (struct gr_axis){.log = p->x_log, .from = LEFT};
    plot->y = (struct gr_axis){.log = p->y_log, .from = plot->height - BOTTOM, .to = TOP};
    plot->x.to = plot->width - (is_roofline ? MARGIN : plot->label_width + LEADER + SAMPLE);
    bounds(p, &plot->x, &plot->y);
    if (!(plot->x.hi > plot->x.lo))
        plot->x.hi = plot->x.lo * 2;
    plot->y.hi *= plot->y.log ? 2 : 1.06;
    plot->y.lo = plot->y.log ? plot->y.lo / 2 : 0;
    if (!is_roofline)
        return;
    double roofs_end = plot->x.hi;
    plot->x.hi = rightmost_mark(p);
    make_room(&plot->x, plot->label_width + LEADER + SAMPLE + MARGIN);
    plot->x.hi = plot->x.hi > roofs_end ? plot->x.hi : roofs_end;
}

/* Roofs and reaches have their names along their lines. */
static bool has_name_at_end(const struct gr_series *series)
{
    return series->role != GR_DRAWN_ROOF && series->role != GR_DRAWN_REACH;
}

static double widest_label(const struct gr_picture *p)
{
    double widest = 0;
    for (int i = 0; i < p->series_count; i++) {
        double width = gr_svg_text_width(p->series[i].name);
        if (has_name_at_end(&p->series[i]) && width > widest)
            widest = width;
    }
    return widest;
}

/* ---- The axes. ---- */

static int by_number(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The sizes themselves are the best ticks, as far as there is room. */
static int size_ticks(const struct plot *plot, double ticks[GR_TICKS])
{
    const struct gr_picture *p = plot->picture;
    double all[GR_TICKS * 4], last = -INFINITY;
    int found = 0, count = 0;
    for (int i = 0; i < p->series_count; i++)
        for (int j = 0; j < p->series[i].count && found < GR_TICKS * 4; j++)
            all[found++] = p->series[i].points[j].x;
    qsort(all, (size_t)found, sizeof *all, by_number);
    for (int i = 0; i < found && count < GR_TICKS; i++) {
        double x = at_x(plot, all[i]);
        if (x - last < 42)
            continue;
        ticks[count++] = floor(all[i] + 0.5);
        last = x;
    }
    return count;
}

/* Writes the number at a tick or, if the points have labels, the label of the first point there. */
static void name_x_tick(const struct gr_picture *p, double tick, char word[32])
{
    gr_tick_word(tick, word);
    for (int i = 0; i < p->series_count; i++)
        for (int j = 0; j < p->series[i].count; j++)
            if (p->series[i].points[j].x == tick && p->series[i].points[j].label) {
                snprintf(word, 32, "%s", p->series[i].points[j].label);
                return;
            }
}

static void draw_x_tick(const struct plot *plot, double tick)
{
    char word[32];
    double x = at_x(plot, tick), bottom = plot->y.from;
    name_x_tick(plot->picture, tick, word);
    double half = gr_svg_text_width(word) / 2;
    double middle = x + half > plot->width ? plot->width - half : x;
    gr_svg_line(plot->out, "grid", x, plot->y.to, x, bottom);
    gr_svg_text(plot->out, "tick", GR_ANCHOR_MIDDLE, middle, bottom + 16, word);
}

static void draw_axes(const struct plot *plot)
{
    double ticks[GR_TICKS], bottom = plot->y.from;
    char word[32];
    int most = (int)((plot->x.to - plot->x.from) / 56);
    int count = plot->picture->kind == GR_PICTURE_LINES
                    ? size_ticks(plot, ticks)
                    : gr_axis_ticks(&plot->x, most < MOST_TICKS ? most : MOST_TICKS, ticks);
    for (int i = 0; i < count; i++)
        draw_x_tick(plot, ticks[i]);
    count = gr_axis_ticks(&plot->y, (int)((bottom - plot->y.to) / 34), ticks);
    for (int i = 0; i < count; i++) {
        double y = at_y(plot, ticks[i]);
        gr_tick_word(ticks[i], word);
        gr_svg_line(plot->out, "grid", plot->x.from, y, plot->x.to, y);
        gr_svg_text(plot->out, "tick", GR_ANCHOR_END, plot->x.from - 7, y + 4, word);
    }
    gr_svg_line(plot->out, "axis", plot->x.from, bottom, plot->x.to, bottom);
    gr_svg_text(plot->out, "axis-label", GR_ANCHOR_MIDDLE, (plot->x.from + plot->x.to) / 2,
                bottom + 36, plot->picture->x_label);
    gr_svg_text(plot->out, "axis-label", GR_ANCHOR_START, MARGIN, 15, plot->picture->y_label);
}

static void draw_rules(const struct plot *plot)
{
    for (int i = 0; i < plot->picture->rule_count; i++) {
        const struct gr_rule *rule = &plot->picture->rules[i];
        char rate[GR_WORD], label[192];
        double y = at_y(plot, rule->value);
        gr_word_rate(rule->value, rate);
        snprintf(label, sizeof label, "%.90s %s", rule->label, rate);
        gr_svg_line(plot->out, "roof rule", plot->x.from, y, plot->x.to, y);
        gr_svg_text(plot->out, "halo roof", GR_ANCHOR_START, plot->x.from + 6, y - 6, label);
    }
}

/* ---- The roofs. ---- */

/* The name of the level roof is at the left, above the memory roofs, where there can be no
 * points. */
static void draw_level_roof(const struct plot *plot, const struct gr_series *roof)
{
    double y = at_y(plot, roof->points[0].y);
    gr_svg_line(plot->out, "roof", at_x(plot, roof->points[0].x), y, plot->x.to, y);
    gr_svg_text(plot->out, "halo roof", GR_ANCHOR_START, at_x(plot, roof->points[0].x) + 2, y - 7,
                roof->name);
}

/* A memory roof as it is drawn, from (x0, y0) on the left to its ridge. */
struct slope {
    const char *name;
    double x0, y0, x1, y1, length;
    double level; /* the same for all points of one line, so it distinguishes parallel lines */
};

/* False: the series is no memory roof. */
static bool slope_of(const struct plot *plot, const struct gr_series *roof, struct slope *slope)
{
    if (roof->role != GR_DRAWN_ROOF || roof->count < 2 || is_level(roof))
        return false;
    const double low = roof->points[0].x, high = roof->points[1].x, peak = roof->points[1].y;
    const double lowest = plot->y.lo * high / peak; /* where the slope enters the picture */
    const double from = lowest > low ? lowest : low;
    *slope = (struct slope){.name = roof->name,
                            .x0 = at_x(plot, from),
                            .y0 = at_y(plot, peak * from / high),
                            .x1 = at_x(plot, high),
                            .y1 = at_y(plot, peak)};
    slope->length = hypot(slope->x1 - slope->x0, slope->y1 - slope->y0);
    slope->level = slope->y1 - (slope->y1 - slope->y0) / (slope->x1 - slope->x0) * slope->x1;
    return true;
}

/* Places a name of this width on the slope: its distance from the ridge. It is below the ridge, and
 * if the slope before is so close that the names would touch, it begins where that one's ends. */
static double place_of(const struct slope *s, double words, double last_level, double last_back)
{
    const double across = (s->x1 - s->x0) / s->length, up = (s->y1 - s->y0) / s->length;
    const bool touches = fabs(s->level - last_level) * across < LABEL_GAP;
    return touches ? last_back + words + MARGIN : fmin(18 / fabs(up), 0.4 * s->length);
}

/* In a narrow picture the slopes are so short and close that their names do not fit along them.
 * Then these have only their first words, and the whole names are below the picture. */
static bool is_crowded(const struct plot *plot)
{
    double level = -INFINITY, back = 0;
    bool crowded = false;
    for (int i = 0; i < plot->picture->series_count; i++) {
        struct slope slope;
        if (!slope_of(plot, &plot->picture->series[i], &slope))
            continue;
        const double words = gr_svg_text_width(slope.name);
        back = place_of(&slope, words, level, back);
        level = slope.level;
        crowded |= back + words > slope.length;
    }
    return crowded;
}

static void draw_slope_name(const struct plot *plot, const struct slope *s, const char *name,
                            double back)
{
    const double across = (s->x1 - s->x0) / s->length, up = (s->y1 - s->y0) / s->length;
    gr_svg_text_rotated(plot->out, "halo roof", GR_ANCHOR_END, s->x1 - across * back + 5 * up,
                        s->y1 - up * back - 5 * across,
                        atan2(s->y1 - s->y0, s->x1 - s->x0) * 180 / acos(-1), name);
}

static void draw_slopes(const struct plot *plot, bool crowded)
{
    double level = -INFINITY, back = 0;
    struct slope slope;
    /* The names are drawn over all lines. */
    for (int i = 0; i < plot->picture->series_count; i++)
        if (slope_of(plot, &plot->picture->series[i], &slope))
            gr_svg_line(plot->out, "roof", slope.x0, slope.y0, slope.x1, slope.y1);
    for (int i = 0; i < plot->picture->series_count; i++) {
        if (!slope_of(plot, &plot->picture->series[i], &slope))
            continue;
        char *name =
            gr_strndup(slope.name, crowded ? strcspn(slope.name, ", ") : strlen(slope.name));
        const double words = gr_svg_text_width(name ? name : "");
        back = place_of(&slope, words, level, back);
        level = slope.level;
        if (name)
            draw_slope_name(plot, &slope, name, back);
        free(name);
    }
}

/* Draws a line for each memory roof below the label of the x axis; only counts them unless `draw`.
 * Returns the height of the lines. */
static double list_slopes(const struct plot *plot, bool draw)
{
    double height = 0;
    struct slope slope;
    for (int i = 0; i < plot->picture->series_count; i++) {
        if (!slope_of(plot, &plot->picture->series[i], &slope))
            continue;
        height += LABEL_GAP;
        if (draw)
            gr_svg_text(plot->out, "roof", GR_ANCHOR_START, plot->x.from, plot->height + height - 2,
                        slope.name);
    }
    return height;
}

/* ---- The series. ---- */

static void style_of(const struct gr_picture *p, int index, char *style)
{
    int hue = 0;
    for (int i = 0; i < index; i++)
        hue += p->series[i].role == p->series[index].role;
    if (p->series[index].role == GR_DRAWN_PEER)
        gr_svg_look(p->series[index].look, style);
    else
        snprintf(style, 32, "s%d", hue % HUES);
}

/* Writes the name of a reach along its line: on the left, above the names of earlier ones nearby,
 * or, if the picture is too low for that, on the right of all that are nearby. */
static void name_reach(const struct plot *plot, int index, const char *style)
{
    const struct gr_series *series = plot->picture->series;
    const double x = at_x(plot, series[index].points[0].x), bottom = plot->y.from - 8;
    double right = x, taken = 0;
    for (int i = 0; i < plot->picture->series_count; i++) {
        const double other = at_x(plot, series[i].points[0].x);
        if (series[i].role != GR_DRAWN_REACH || fabs(other - x) >= LABEL_GAP)
            continue;
        right = fmax(right, other);
        if (i < index)
            taken += gr_svg_text_width(series[i].name) + MARGIN;
    }
    const bool fits =
        taken <= 0 || bottom - taken - gr_svg_text_width(series[index].name) >= plot->y.to;
    gr_svg_text_rotated(plot->out, style, GR_ANCHOR_START, fits ? x - 5 : right + LABEL_GAP,
                        fits ? bottom - taken : bottom, -90, series[index].name);
}

/* Writes the classes of a mark. A mark is hollow if the speed was not measured. */
static void mark_style(const struct gr_picture *p, int index, char style[48])
{
    char hue[32];
    style_of(p, index, hue);
    snprintf(style, 48, "%s%s", p->series[index].role == GR_DRAWN_BOUND ? "hollow " : "", hue);
}

/* The shape of a kernel is given by its index among the kernels, that of a peer by its colour. */
static int shape_of(const struct gr_picture *p, int index)
{
    return p->series[index].role == GR_DRAWN_PEER ? p->series[index].look : index;
}

static void draw_series(const struct plot *plot, int index)
{
    const struct gr_series *series = &plot->picture->series[index];
    char style[48], hint[256];
    style_of(plot->picture, index, style);
    if (series->role == GR_DRAWN_REACH) {
        const struct gr_point *top = &series->points[series->count - 1];
        double x = at_x(plot, top->x);
        snprintf(hint, sizeof hint, "reach l%s", style + 1);
        gr_svg_line(plot->out, hint, x, plot->y.from, x, at_y(plot, top->y));
        snprintf(hint, sizeof hint, "halo %s", style);
        name_reach(plot, index, hint);
        return;
    }
    if (plot->picture->kind == GR_PICTURE_LINES && series->count > 1) {
        gr_str_printf(plot->out, "<polyline class=\"curve %s\" points=\"", style);
        for (int i = 0; i < series->count; i++)
            gr_str_printf(plot->out, "%s%.1f,%.1f", i ? " " : "", at_x(plot, series->points[i].x),
                          at_y(plot, series->points[i].y));
        gr_str_add(plot->out, "\"/>\n");
    }
    mark_style(plot->picture, index, style);
    for (int i = 0; i < series->count; i++) {
        const struct gr_point *point = &series->points[i];
        if (point->note)
            snprintf(hint, sizeof hint, "%.80s: %.4g GFLOP/s, %.120s", series->name, point->y,
                     point->note);
        else
            snprintf(hint, sizeof hint, "%.160s: %.4g GFLOP/s at %.5g", series->name, point->y,
                     point->x);
        if (point->hi > 0)
            gr_svg_whisker(plot->out, false, at_x(plot, point->x), at_y(plot, point->lo),
                           at_y(plot, point->hi));
        gr_svg_mark(plot->out, style, shape_of(plot->picture, index), at_x(plot, point->x),
                    at_y(plot, point->y), hint);
    }
}

struct end {
    double x, y; /* of the last point of the series */
    int index;
};

static int by_height(const void *x, const void *y)
{
    const struct end *a = x, *b = y;
    return (a->y > b->y) - (a->y < b->y);
}

/* Returns the highest position of a name: below the level roof, which has its own name above it,
 * provided that there is room for all names. */
static double names_top(const struct plot *plot, int count)
{
    const struct gr_picture *p = plot->picture;
    double top = TOP;
    for (int i = 0; i < p->series_count; i++)
        if (p->series[i].role == GR_DRAWN_ROOF && p->series[i].count > 1 && is_level(&p->series[i]))
            top = at_y(plot, p->series[i].points[0].y) + 10;
    return plot->y.from - top > LABEL_GAP * count ? top : TOP;
}

/* Draws the key of a series, a line and a mark, before its name. */
static void draw_sample(const struct plot *plot, int index, double x, double y)
{
    char style[32], mark[48], line[48];
    style_of(plot->picture, index, style);
    snprintf(line, sizeof line, "curve %s", style);
    if (plot->picture->kind == GR_PICTURE_LINES)
        gr_svg_line(plot->out, line, x, y, x + SAMPLE - 4, y);
    mark_style(plot->picture, index, mark);
    gr_svg_mark(plot->out, mark, shape_of(plot->picture, index), x + (SAMPLE - 4) / 2.0, y,
                plot->picture->series[index].name);
}

/* Draws the names in a column to the right of the last points, in the order of these. The names do
 * not overlap, and thin lines connect them with their points. */
static void draw_names(const struct plot *plot)
{
    const struct gr_picture *p = plot->picture;
    struct end *ends = calloc((size_t)p->series_count + 1, sizeof *ends);
    double *places = calloc((size_t)p->series_count + 1, sizeof *places);
    double right = p->kind == GR_PICTURE_ROOFLINE ? at_x(plot, rightmost_mark(p)) : 0;
    int count = 0;
    for (int i = 0; ends && places && i < p->series_count; i++) {
        if (!has_name_at_end(&p->series[i]) || p->series[i].count == 0)
            continue;
        const struct gr_point *last = &p->series[i].points[p->series[i].count - 1];
        ends[count] = (struct end){at_x(plot, last->x), at_y(plot, last->y), i};
        right = ends[count].x > right ? ends[count].x : right;
        count++;
    }
    if (count)
        qsort(ends, (size_t)count, sizeof *ends, by_height);
    for (int i = 0; i < count; i++)
        places[i] = ends[i].y;
    if (places)
        gr_spread(places, count, LABEL_GAP, names_top(plot, count), plot->y.from - 4);
    for (int i = 0; i < count; i++) {
        char style[32], text_style[48];
        style_of(p, ends[i].index, style);
        snprintf(text_style, sizeof text_style, "halo %s", style);
        gr_svg_line(plot->out, "leader", ends[i].x + 6, ends[i].y, right + LEADER - 5, places[i]);
        draw_sample(plot, ends[i].index, right + LEADER - 2, places[i]);
        char *name = gr_svg_text_cut(p->series[ends[i].index].name, plot->label_width);
        if (name)
            gr_svg_text(plot->out, text_style, GR_ANCHOR_START, right + LEADER + SAMPLE - 2,
                        places[i] + 4, name);
        free(name);
    }
    free(ends);
    free(places);
}

void gr_svg_plot(const struct gr_picture *picture, double width, struct gr_str *out)
{
    struct plot plot = {.picture = picture,
                        .out = out,
                        .width = width,
                        .height = width > 500 ? 0.55 * width : 1.05 * width};
    double widest = widest_label(picture);
    /* The names in a roofline are below its roof. */
    double share = picture->kind == GR_PICTURE_ROOFLINE ? 0.6 : 1;
    double labels = TOP + BOTTOM + LABEL_GAP * picture->series_count / share;
    plot.height = plot.height > labels ? plot.height : labels;
    plot.label_width = widest < width * 0.28 ? widest : width * 0.28;
    set_axes(&plot);
    const bool crowded = is_crowded(&plot);
    gr_svg_open(out, picture->title, picture->alt, width,
                plot.height + (crowded ? list_slopes(&plot, false) + MARGIN : 0));
    draw_axes(&plot);
    draw_rules(&plot);
    draw_slopes(&plot, crowded);
    if (crowded)
        list_slopes(&plot, true);
    for (int i = 0; i < picture->series_count; i++)
        if (picture->series[i].role == GR_DRAWN_ROOF && picture->series[i].count > 1 &&
            is_level(&picture->series[i]))
            draw_level_roof(&plot, &picture->series[i]);
    for (int i = 0; i < picture->series_count; i++)
        if (picture->series[i].role != GR_DRAWN_ROOF)
            draw_series(&plot, i);
    draw_names(&plot);
    gr_svg_close(out);
}
