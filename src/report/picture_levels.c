/* picture_levels.c: the roofline of a GPU. Each kernel is drawn at the intensity, and below the
 * roof, of the level of memory that limits it most, by the bytes that the simulator counted there.
 * SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "base/utf8.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>

/* The levels of memory, the farthest from the arithmetic first. */
enum { DRAM, L2, L1, SHARED, LEVELS };

static const char *const level_names[LEVELS] = {"DRAM", "L2", "L1", "shared memory"};

struct levels {
    double gflops; /* the arithmetic peak */
    double gbps[LEVELS];
};

static double intensity_of(const struct gr_row *row, int level)
{
    const double bytes[LEVELS] = {row->traffic.dram, row->traffic.l2, row->traffic.l1,
                                  row->traffic.shared};
    return bytes[level] > 0 ? gr_problem_flops(&row->problem) / bytes[level] : 0;
}

static double top_of(const struct levels *v, int level, double intensity)
{
    return fmin(v->gbps[level] * intensity, v->gflops);
}

/* Returns the level of memory that limits the row most, even if its limit is above the peak; -1 if
 * the traffic is not known. */
static int lowest(const struct levels *v, const struct gr_row *row)
{
    int found = -1;
    double least = INFINITY;
    for (int i = 0; i < LEVELS; i++) {
        double x = intensity_of(row, i);
        if (!(x > 0) || !(v->gbps[i] > 0) || !(v->gbps[i] * x < least))
            continue;
        found = i;
        least = v->gbps[i] * x;
    }
    return found;
}

static bool has_traffic(const struct gr_row *row)
{
    return row->verdict == GR_RIGHT && row->traffic.l1 > 0;
}

static struct levels levels_of(const struct gr_family *family)
{
    const struct gr_group *group = family->groups[family->count - 1];
    const struct gr_roofs *r = &family->run->environment.roofs;
    double stated = group->lead->problem.types.acc == GR_F64 ? r->gflops_f64 : r->gflops_f32;
    double measured = group->lead->simulated ? 0 : gr_group_peak(family->run, group);
    return (struct levels){measured > 0 ? measured : stated,
                           {r->dram_gbps, r->l2_gbps, r->l1_gbps, r->shared_gbps}};
}

/* ---- The points. ---- */

/* Adds a point. The first point of a kernel is that of its largest size. */
static bool add_point(struct gr_picture *p, const char *name, enum gr_role_drawn role, double x,
                      double y)
{
    struct gr_str clean = {0};
    gr_str_add_line(&clean, name);
    struct gr_series *series = clean.text ? gr_picture_series(p, clean.text, role) : NULL;
    gr_str_free(&clean);
    return series && series->count > 0 ? true : gr_series_add(series, x, y, NULL, NULL);
}

static bool add_row(struct gr_picture *p, const struct levels *v, const struct gr_row *row)
{
    bool timed = gr_row_has_speed(row) && !row->simulated;
    int level = has_traffic(row) ? lowest(v, row) : -1;
    if (timed && !gr_picture_takes(p, row))
        return true;
    if (level < 0 &&
        (!timed || !row->is_peer)) /* a kernel without known traffic cannot be placed */
        return true;
    if (level < 0) {
        double once = gr_problem_flops(&row->problem) / gr_problem_bytes(&row->problem);
        return add_point(p, gr_row_name(row), GR_DRAWN_PEER, once, row->gflops);
    }
    double x = intensity_of(row, level);
    char *name =
        gr_printf("%s, %s", gr_row_name(row), level == SHARED ? "shared" : level_names[level]);
    bool done = name && add_point(p, name, timed ? GR_DRAWN_KERNEL : GR_DRAWN_BOUND, x,
                                  timed ? row->gflops : top_of(v, level, x));
    free(name);
    return done;
}

/* ---- The roofs. ---- */

static bool add_line(struct gr_picture *p, char *name, double x0, double y0, double x1, double y1)
{
    struct gr_series *series = name ? gr_picture_series(p, name, GR_DRAWN_ROOF) : NULL;
    free(name);
    return gr_series_add(series, x0, y0, NULL, NULL) && gr_series_add(series, x1, y1, NULL, NULL);
}

static bool add_roofs(struct gr_picture *p, const struct levels *v)
{
    double left = INFINITY, right = 0, first_ridge = INFINITY;
    bool done = true;
    for (int i = 0; i < p->series_count; i++) {
        left = fmin(left, p->series[i].points[0].x);
        right = fmax(right, p->series[i].points[0].x);
    }
    for (int i = 0; i < LEVELS; i++) {
        if (!(v->gbps[i] > 0))
            continue;
        first_ridge = fmin(first_ridge, v->gflops / v->gbps[i]);
        left = fmin(left, v->gflops / v->gbps[i] / 6);
        right = fmax(right, v->gflops / v->gbps[i]);
    }
    left /= 1.5;
    right *= 2;
    for (int i = 0; i < LEVELS; i++) {
        bool shared_too = i == L1 && v->gbps[SHARED] == v->gbps[L1];
        if (v->gbps[i] > 0 && !(i == SHARED && v->gbps[SHARED] == v->gbps[L1]))
            done &= add_line(p,
                             gr_printf("%s%s%s %.5g GB/s", level_names[i],
                                       shared_too ? ", shared memory" : "",
                                       i == DRAM ? "" : " at most", v->gbps[i]),
                             left, v->gbps[i] * left, v->gflops / v->gbps[i], v->gflops);
    }
    return done & add_line(p, gr_printf("peak %.5g GFLOP/s", v->gflops), fmin(first_ridge, right),
                           v->gflops, right, v->gflops);
}

/* ---- The text. ---- */

static bool has_role(const struct gr_picture *p, enum gr_role_drawn role)
{
    for (int i = 0; i < p->series_count; i++)
        if (p->series[i].role == role)
            return true;
    return false;
}

static void add_words(struct gr_picture *p, const struct gr_family *family, const struct levels *v)
{
    struct gr_str alt = {0};
    bool bound = has_role(p, GR_DRAWN_BOUND), peers = has_role(p, GR_DRAWN_PEER);
    p->title = gr_printf("The roofline%s", family->words);
    p->caption = gr_printf(
        "Each kernel is drawn at the bytes that the simulator counted where they bound it most, "
        "which "
        "its name says: DRAM is what the whole grid touches, L2 what each block fetches for "
        "itself, L1 the sectors of its requests, shared memory the passes over the banks. The "
        "slopes are the bandwidths of the levels, from the device's data.%s%s",
        bound ? " No speed was measured: a hollow mark is the most that the roof over it allows."
              : " The gap above a point is what could still be gained.",
        peers ? " A library's traffic is not known: it is drawn where A, B and C are moved once."
              : "");
    gr_str_printf(&alt, "Roofline chart, both axes logarithmic, with a peak of %.5g GFLOP/s.",
                  v->gflops);
    for (int i = 0; i < p->series_count; i++) {
        char rate[GR_WORD];
        if (p->series[i].role == GR_DRAWN_ROOF)
            continue;
        gr_word_rate(p->series[i].points[0].y, rate);
        gr_str_printf(&alt, " %s: %s%s GFLOP/s at %.3g FLOP per byte.", p->series[i].name,
                      p->series[i].role == GR_DRAWN_BOUND ? "at most " : "", rate,
                      p->series[i].points[0].x);
    }
    p->alt = alt.text;
    p->x_label = gr_strdup("arithmetic intensity at that level, FLOP per byte");
    p->y_label = gr_strdup("GFLOP/s");
    p->x_log = p->y_log = true;
}

bool gr_picture_levels(const struct gr_family *family, struct gr_pictures *pictures)
{
    const struct levels v = levels_of(family);
    bool done = true, any = false;
    for (int i = 0; i < family->count; i++)
        for (int j = 0; j < family->groups[i]->count; j++)
            any |= has_traffic(family->groups[i]->rows[j]);
    if (!any || !(v.gflops > 0) || !(v.gbps[DRAM] > 0))
        return false;
    struct gr_picture *p =
        gr_picture_add(pictures, GR_PICTURE_ROOFLINE, gr_printf("roofline%s", family->suffix));
    if (!p)
        return true;
    for (int i = family->count; i-- > 0;)
        for (int j = 0; j < family->groups[i]->count; j++)
            done &= add_row(p, &v, family->groups[i]->rows[j]);
    add_words(p, family, &v);
    done &= add_roofs(p, &v);
    pictures->failed |= !done || !p->title || !p->caption || !p->alt || !p->x_label || !p->y_label;
    return true;
}
