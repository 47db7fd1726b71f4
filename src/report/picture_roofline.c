/* picture_roofline.c: the roofline (Williams, Waterman, Patterson 2009) with the ceilings measured
 * in the same run, and a point for each rung at the largest size at which it was timed.
 * SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "base/utf8.h"
#include "records/steady.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FLOP per byte if A, B and C cross the memory bus only once: the upper bound for any kernel. */
static double intensity(const struct gr_problem *problem)
{
    double bytes = gr_problem_bytes(problem);
    return bytes > 0 ? gr_problem_flops(problem) / bytes : 0;
}

static bool add_point(struct gr_picture *picture, const struct gr_row *row)
{
    struct gr_str name = {0};
    double x = intensity(&row->problem);
    if (!(x > 0) || !(row->gflops > 0) || !isfinite(row->gflops) || !gr_picture_takes(picture, row))
        return true;
    gr_str_add_line(&name, gr_row_name(row));
    struct gr_series *series =
        name.text
            ? gr_picture_series(picture, name.text, row->is_peer ? GR_DRAWN_PEER : GR_DRAWN_KERNEL)
            : NULL;
    gr_str_free(&name);
    if (series && series->count > 0)
        return true;
    return gr_series_add(series, x, row->gflops, NULL, NULL);
}

/* The name of a roof, such as "L1 340 GB/s" for read.l1. */
static char *roof_name(const struct gr_ceiling *ceiling)
{
    struct gr_str say = {0};
    gr_ceiling_format(ceiling, &say);
    char *name = gr_strdup(gr_str_text(&say) + strlen("read "));
    gr_str_free(&say);
    return name;
}

/* The bandwidth of a ceiling that is drawn as a roof; 0 for other ceilings. */
static double bandwidth_of(const struct gr_ceiling *ceiling)
{
    const bool drawn = gr_starts_with(ceiling->name, "read.") && !ceiling->unsteady;
    return drawn && ceiling->value > 0 ? ceiling->value : 0;
}

/* A memory roof rises with slope 1 from the left edge to the ridge, where arithmetic becomes the
 * limit. */
static bool add_roofs(struct gr_picture *picture, const struct gr_environment *e, double peak,
                      double left, double right)
{
    double first_ridge = right;
    bool done = true;
    for (int i = 0; i < e->ceiling_count; i++) {
        double bandwidth = bandwidth_of(&e->ceilings[i]);
        if (!(bandwidth > 0))
            continue;
        char *name = roof_name(&e->ceilings[i]);
        struct gr_series *series = name ? gr_picture_series(picture, name, GR_DRAWN_ROOF) : NULL;
        free(name);
        double ridge = peak / bandwidth;
        first_ridge = ridge < first_ridge ? ridge : first_ridge;
        if (ridge > left)
            done &= gr_series_add(series, left, bandwidth * left, NULL, NULL) &&
                    gr_series_add(series, ridge, peak, NULL, NULL);
    }
    char rate[GR_WORD];
    gr_word_rate(peak, rate);
    char *name = gr_printf("FMA peak %s GFLOP/s", rate);
    struct gr_series *series = name ? gr_picture_series(picture, name, GR_DRAWN_ROOF) : NULL;
    free(name);
    return done &&
           gr_series_add(series, first_ridge > left ? first_ridge : left, peak, NULL, NULL) &&
           gr_series_add(series, right, peak, NULL, NULL);
}

static void extent(const struct gr_picture *picture, const struct gr_environment *e, double peak,
                   double *left, double *right)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < picture->series_count; i++) {
        double x = picture->series[i].points[0].x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    for (int i = 0; i < e->ceiling_count; i++) {
        double ridge = bandwidth_of(&e->ceilings[i]) > 0 ? peak / e->ceilings[i].value : 0;
        if (!(ridge > 0))
            continue;
        least = ridge / 6 < least ? ridge / 6 : least;
        most = ridge > most ? ridge : most;
    }
    *left = least / 1.5;
    *right = most * 2;
}

static void add_words(struct gr_picture *p, const struct gr_family *family, double peak)
{
    struct gr_str alt = {0};
    char rate[GR_WORD];
    gr_word_rate(peak, rate);
    p->title = gr_printf("The roofline%s", family->words);
    p->caption = gr_strdup(
        "How far each kernel is below what the machine allows. The level roof is the measured FMA "
        "rate, the slopes are the measured read bandwidths of the caches and of memory. The bytes "
        "that a kernel moves are not counted here: all are drawn at the intensity of the product "
        "when A, B and C are each moved once, which no kernel betters, so those of one size stand "
        "one above the other. The gap above a point is what could still be gained.");
    gr_str_printf(&alt, "Roofline chart, both axes logarithmic, with a peak of %s GFLOP/s.", rate);
    for (int i = 0; i < p->series_count; i++) {
        if (p->series[i].role == GR_DRAWN_ROOF)
            continue;
        gr_word_rate(p->series[i].points[0].y, rate);
        gr_str_printf(&alt, " %s: %s GFLOP/s at %.3g flop per byte.", p->series[i].name, rate,
                      p->series[i].points[0].x);
    }
    p->alt = alt.text;
    p->x_label = gr_strdup("FLOP per byte, when A, B and C are moved once");
    p->y_label = gr_strdup("GFLOP/s");
    p->x_log = p->y_log = true;
}

bool gr_picture_roofline(const struct gr_family *family, struct gr_pictures *pictures)
{
    const struct gr_environment *e = &family->run->environment;
    double peak = gr_group_peak(family->run, family->groups[family->count - 1]), left, right;
    bool done = true, any = false;
    if (gr_picture_levels(family, pictures))
        return true;
    for (int i = 0; i < family->count; i++)
        for (int j = 0; j < family->groups[i]->count; j++)
            any |= gr_row_has_speed(family->groups[i]->rows[j]) &&
                   !gr_row_is_unsteady(family->groups[i]->rows[j]);
    if (!(peak > 0) || !any)
        return false;
    struct gr_picture *p =
        gr_picture_add(pictures, GR_PICTURE_ROOFLINE, gr_printf("roofline%s", family->suffix));
    if (!p)
        return false;
    for (int i = family->count; i-- > 0;)
        for (int j = 0; j < family->groups[i]->count; j++)
            done &= add_point(p, family->groups[i]->rows[j]);
    extent(p, e, peak, &left, &right);
    add_words(p, family, peak);
    done &= add_roofs(p, e, peak, left, right);
    pictures->failed |= !done || !p->title || !p->caption || !p->alt || !p->x_label || !p->y_label;
    return true;
}
