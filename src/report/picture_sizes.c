/* picture_sizes.c: the rate over the size, with one line for each kernel.
 * SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "base/utf8.h"
#include "records/steady.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The edge of the cube with the same number of operations, which is the size itself if M = N =
 * K. */
static double edge(const struct gr_problem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return m == n && n == k ? n : cbrt(m * n * k);
}

/* Adds a point. A capped rung is timed at the same size for several requested sizes, which are one
 * point. */
static bool add_point(struct gr_picture *picture, const char *name, enum gr_role_drawn role,
                      const struct gr_row *row, double rate)
{
    double x = edge(&row->problem);
    struct gr_str clean = {0};
    if (!(x > 0) || !(rate > 0) || !isfinite(rate))
        return true;
    gr_str_add_line(&clean, name);
    struct gr_series *series = clean.text ? gr_picture_series(picture, clean.text, role) : NULL;
    gr_str_free(&clean);
    for (int i = 0; series && i < series->count; i++)
        if (series->points[i].x == x)
            return true;
    bool done = gr_series_add(series, x, rate, NULL, NULL);
    if (done && rate == row->gflops) /* and not the rate of the peer next to it */
        gr_series_interval(series, row);
    return done;
}

static bool add_group(struct gr_picture *picture, const struct gr_group *group)
{
    bool done = true;
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (gr_picture_takes(picture, row))
            done &= add_point(picture, gr_row_name(row),
                              row->is_peer ? GR_DRAWN_PEER : GR_DRAWN_KERNEL, row, row->gflops);
    }
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (row->peer.name[0] && gr_row_has_speed(row) && !gr_row_is_unsteady(row))
            done &= add_point(picture, row->peer.name, GR_DRAWN_PEER, row, row->peer.gflops);
    }
    return done;
}

static int by_x(const void *x, const void *y)
{
    double a = ((const struct gr_point *)x)->x, b = ((const struct gr_point *)y)->x;
    return (a > b) - (a < b);
}

static void add_words(struct gr_picture *p, const struct gr_family *family)
{
    struct gr_str alt = {0};
    char least[64], most[64];
    const struct gr_group *first = family->groups[0], *last = family->groups[family->count - 1];
    gr_size_name(first->m, first->n, first->k, least, sizeof least);
    gr_size_name(last->m, last->n, last->k, most, sizeof most);
    p->title = gr_printf("The rate over the size%s", family->words);
    p->caption = gr_printf(
        "How fast each kernel is as the matrices grow. Broken lines with hollow marks are the "
        "libraries; a line that falls to the right has left a cache behind. Where M, N and K "
        "differ, N is the edge of the cube with as much work.%s%s",
        gr_picture_has_intervals(p) ? " " : "",
        gr_picture_has_intervals(p) ? gr_interval_meaning : "");
    gr_str_printf(
        &alt, "Line chart of GFLOP/s over N from %s to %s, with a line for each of:", least, most);
    for (int i = 0; i < p->series_count; i++)
        gr_str_printf(&alt, "%s %s", i ? "," : "", p->series[i].name);
    gr_str_add(&alt, ".");
    p->alt = alt.text;
    p->x_label = gr_strdup("N (log scale)");
    p->y_label = gr_strdup("GFLOP/s");
    p->x_log = true;
}

bool gr_picture_sizes(const struct gr_family *family, struct gr_pictures *pictures)
{
    if (family->count < 2)
        return false;
    struct gr_picture *p =
        gr_picture_add(pictures, GR_PICTURE_LINES, gr_printf("sizes%s", family->suffix));
    if (!p)
        return false;
    bool done = true, longer = false;
    for (int i = 0; i < family->count; i++)
        done &= add_group(p, family->groups[i]);
    for (int i = 0; i < p->series_count; i++) {
        qsort(p->series[i].points, (size_t)p->series[i].count, sizeof *p->series[i].points, by_x);
        longer |= p->series[i].count > 1;
    }
    double peak = gr_group_peak(family->run, family->groups[family->count - 1]);
    if (peak > 0)
        done &= gr_picture_rule(p, gr_strdup("measured peak"), GR_DRAWN_ROOF, peak);
    add_words(p, family);
    pictures->failed |= !done || !p->title || !p->caption || !p->alt || !p->x_label || !p->y_label;
    if (!longer && !pictures->failed) {
        struct gr_pictures last = {.items = malloc(sizeof *p), .count = 1};
        if (last.items) {
            *last.items = *p;
            gr_pictures_free(&last);
        }
        pictures->count--;
    }
    return longer;
}
