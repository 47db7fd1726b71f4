/* picture_reach.c: the roofline of a device with one kernel below it: the intensities that the problem offers and that
 * the kernel makes of it, level by level. A speed is a point only where it was measured. SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/gnuplot.h"
#include "report/html.h"
#include "report/svg.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>

struct level {
    const char *roof, *mark;
    double gbps, intensity;
};

enum { LEVELS = 3 };

static void levels_of(const struct gr_reach *r, struct level levels[LEVELS])
{
    levels[0] = (struct level){"DRAM %.5g GB/s", "ideal: %.4g", r->dram_gbps, r->ideal};
    levels[1] = (struct level){"L2 at most %.5g GB/s", "blocks: %.4g", r->l2_gbps, r->block};
    levels[2] = (struct level){"L1 at most %.5g GB/s", "lanes: %.4g", r->l1_gbps, r->asked};
}

/* What a level can feed, or the peak. */
static double top_of(const struct gr_reach *r, const struct level *level)
{
    double fed = level->gbps > 0 ? level->gbps * level->intensity : r->gflops;
    return fed < r->gflops ? fed : r->gflops;
}

struct extent {
    double left, right, low;
};

static struct extent extent_of(const struct gr_reach *r, const struct level levels[LEVELS])
{
    struct extent e = {INFINITY, 0, r->gflops};
    for (int i = 0; i < LEVELS; i++) {
        double ridge = levels[i].gbps > 0 ? r->gflops / levels[i].gbps : 0, x = levels[i].intensity;
        if (ridge > 0) {
            e.left = ridge / 6 < e.left ? ridge / 6 : e.left;
            e.right = ridge > e.right ? ridge : e.right;
        }
        if (x > 0) {
            e.left = x < e.left ? x : e.left;
            e.right = x > e.right ? x : e.right;
            e.low = top_of(r, &levels[i]) < e.low ? top_of(r, &levels[i]) : e.low;
        }
    }
    if (r->measured_gflops > 0 && r->measured_gflops < e.low)
        e.low = r->measured_gflops;
    e.left /= 1.5;
    e.right *= 2;
    e.low /= 4;
    return e;
}

static bool add_line(struct gr_picture *p, char *name, enum gr_role_drawn role, double x0,
                     double y0, double x1, double y1)
{
    struct gr_series *series = name ? gr_picture_series(p, name, role) : NULL;
    free(name);
    return gr_series_add(series, x0, y0, NULL, NULL) && gr_series_add(series, x1, y1, NULL, NULL);
}

static bool add_all(struct gr_picture *p, const struct gr_reach *r,
                    const struct level levels[LEVELS], const struct extent *e)
{
    bool done = true;
    double first_ridge = e->right;
    for (int i = 0; i < LEVELS; i++) {
        const struct level *v = &levels[i];
        if (v->intensity > 0)
            done &= add_line(p, gr_printf(v->mark, v->intensity), GR_DRAWN_REACH, v->intensity,
                             e->low, v->intensity, top_of(r, v));
    }
    if (r->measured_gflops > 0) {
        double x = r->block > 0 ? r->block : r->ideal;
        struct gr_series *series = gr_picture_series(p, "measured", GR_DRAWN_KERNEL);
        done &= gr_series_add(series, x, r->measured_gflops, NULL, NULL);
    }
    for (int i = 0; i < LEVELS; i++) {
        double ridge = levels[i].gbps > 0 ? r->gflops / levels[i].gbps : 0;
        if (ridge > 0 && ridge > e->left) {
            first_ridge = ridge < first_ridge ? ridge : first_ridge;
            done &= add_line(p, gr_printf(levels[i].roof, levels[i].gbps), GR_DRAWN_ROOF, e->left,
                             levels[i].gbps * e->left, ridge, r->gflops);
        }
    }
    return done & add_line(p, gr_printf("peak %.5g GFLOP/s", r->gflops), GR_DRAWN_ROOF, first_ridge,
                           r->gflops, e->right, r->gflops);
}

static void say_levels(const struct gr_reach *r, const struct level levels[LEVELS],
                       struct gr_str *out)
{
    static const char *const what[LEVELS] = {
        "when A, B and C are moved once, the problem offers",
        "when each block fetches its distinct bytes once, the kernel has",
        "of the bytes that lanes ask L1 for, it makes"};
    for (int i = 0; i < LEVELS; i++)
        if (levels[i].intensity > 0)
            gr_str_printf(out, "%s%s %.4g FLOP a byte (%s)", out->length ? "; " : "", what[i],
                          levels[i].intensity,
                          i == 0   ? "ideal"
                          : i == 1 ? "blocks"
                                   : "lanes");
    gr_str_add(out, ".");
    if (r->measured_gflops > 0)
        gr_str_printf(out, " Measured: %.5g GFLOP/s.", r->measured_gflops);
}

static void say(const struct gr_reach *r, const struct level levels[LEVELS], struct gr_picture *p)
{
    struct gr_str text = {0};
    say_levels(r, levels, &text);
    p->title = gr_printf("Below the roofs of the %s", r->device);
    p->alt = gr_printf("Roofline chart, both axes logarithmic, with a peak of %.5g GFLOP/s: %s",
                       r->gflops, gr_str_text(&text));
    bool levels_known = r->block > 0 && r->asked > 0;
    p->caption = gr_printf(
        "How much arithmetic a byte feeds: %s %s The roofs of L2 and L1 are what their wires carry "
        "in a clock, which no program quite reaches; the peak is that of the device file's "
        "clock.%s",
        gr_str_text(&text),
        levels_known ? "Each upright line ends at the roof of its own level: ideal at DRAM's, "
                       "blocks at L2's, lanes at L1's."
                     : "What the kernel makes of it is not known without a simulation.",
        r->measured_gflops > 0 ? "" : " No speed was measured, so there is no point.");
    p->x_label = gr_strdup("arithmetic intensity, FLOP per byte");
    p->y_label = gr_strdup("GFLOP/s");
    p->x_log = p->y_log = true;
    gr_str_free(&text);
}

bool gr_picture_reach(const struct gr_reach *r, struct gr_figure *f)
{
    struct level levels[LEVELS];
    struct gr_pictures pictures = {0};
    levels_of(r, levels);
    *f = (struct gr_figure){0};
    if (!(r->gflops > 0) || !(r->dram_gbps > 0) || !(r->ideal > 0))
        return false;
    struct gr_picture *p = gr_picture_add(&pictures, GR_PICTURE_ROOFLINE, gr_strdup("roofline"));
    f->failed = !p;
    if (p) {
        struct extent extent = extent_of(r, levels);
        p->output = gr_strdup("roofline-plot");
        say(r, levels, p);
        f->failed |= !add_all(p, r, levels, &extent) || !p->output || !p->title || !p->caption ||
                     !p->alt || !p->x_label || !p->y_label;
    }
    if (!f->failed) {
        gr_svg_render(p, GR_HTML_WIDE, &f->wide);
        gr_svg_render(p, GR_HTML_NARROW, &f->narrow);
        gr_gnuplot_script(p, &f->script);
        gr_gnuplot_data(p, &f->data);
        f->name = gr_strdup(p->name);
        f->title = gr_strdup(p->title);
        f->caption = gr_strdup(p->caption);
        f->alt = gr_strdup(p->alt);
        f->failed = !f->name || !f->title || !f->caption || !f->alt;
    }
    gr_pictures_free(&pictures);
    return true;
}
