/* picture_reach.c: the roofline of a device with one or two kernels below it: the intensity of the
 * problem, and those of a kernel at each level of memory. A point is drawn only for a measured
 * speed. SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/gnuplot.h"
#include "report/html.h"
#include "report/svg.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>

/* The levels of memory, the farthest from the arithmetic first. */
enum { DRAM, L2, L1, SHARED, LEVELS };

static const char *const level_names[LEVELS] = {"DRAM", "L2", "L1", "shared memory"};

/* An intensity, drawn as a vertical line up to the roof of its level. */
struct mark {
    const char *words;
    double intensity;
    int level;
};

static double bandwidth(const struct gr_reach *r, int level)
{
    const double gbps[LEVELS] = {r->dram_gbps, r->l2_gbps, r->l1_gbps, r->shared_gbps};
    return gbps[level];
}

/* The first mark is that of the problem, the others are those of the kernel. */
static void marks_of(const struct gr_reach *r, const struct gr_reach_kernel *k,
                     struct mark marks[LEVELS])
{
    marks[DRAM] = (struct mark){"ideal", r->ideal, DRAM};
    marks[L2] = (struct mark){"blocks", k->block, L2};
    marks[L1] = (struct mark){"sectors", k->l1, L1};
    marks[SHARED] = (struct mark){"shared memory", k->shared, SHARED};
}

/* Returns the rate that a level allows at this intensity, at most the peak. */
static double top_of(const struct gr_reach *r, const struct mark *mark)
{
    double gbps = bandwidth(r, mark->level), fed = gbps > 0 ? gbps * mark->intensity : r->gflops;
    return fed < r->gflops ? fed : r->gflops;
}

/* Returns the level that limits the kernel most, if it limits it below the arithmetic peak;
 * otherwise -1. */
static int lowest(const struct gr_reach *r, const struct mark marks[LEVELS])
{
    int found = -1;
    double least = r->gflops;
    for (int i = 0; i < LEVELS; i++) {
        if (!(marks[i].intensity > 0) || !(top_of(r, &marks[i]) < least))
            continue;
        found = i;
        least = top_of(r, &marks[i]);
    }
    return found;
}

/* ---- The extents. ---- */

struct extent {
    double left, right, low;
};

static void widen(const struct gr_reach *r, const struct mark *mark, struct extent *e)
{
    double x = mark->intensity, top = top_of(r, mark);
    if (!(x > 0))
        return;
    e->left = x < e->left ? x : e->left;
    e->right = x > e->right ? x : e->right;
    e->low = top < e->low ? top : e->low;
}

static struct extent extent_of(const struct gr_reach *r)
{
    struct extent e = {INFINITY, 0, r->gflops};
    for (int i = 0; i < LEVELS; i++) {
        double ridge = bandwidth(r, i) > 0 ? r->gflops / bandwidth(r, i) : 0;
        if (!(ridge > 0))
            continue;
        e.left = ridge / 6 < e.left ? ridge / 6 : e.left;
        e.right = ridge > e.right ? ridge : e.right;
    }
    for (int i = 0; i < r->kernel_count; i++) {
        struct mark marks[LEVELS];
        double measured = r->kernels[i].measured_gflops;
        marks_of(r, &r->kernels[i], marks);
        for (int j = 0; j < LEVELS; j++)
            widen(r, &marks[j], &e);
        e.low = measured > 0 && measured < e.low ? measured : e.low;
    }
    e.left /= 1.5;
    e.right *= 2;
    e.low /= 4;
    return e;
}

/* ---- The lines. ---- */

static bool add_line(struct gr_picture *p, char *name, enum gr_role_drawn role, double x0,
                     double y0, double x1, double y1)
{
    struct gr_series *series = name ? gr_picture_series(p, name, role) : NULL;
    free(name);
    return gr_series_add(series, x0, y0, NULL, NULL) && gr_series_add(series, x1, y1, NULL, NULL);
}

static bool add_mark(struct gr_picture *p, const struct gr_reach *r, const struct mark *mark,
                     const char *kernel, const struct extent *e)
{
    double x = mark->intensity;
    if (!(x > 0))
        return true;
    return add_line(p, gr_printf("%s%s%s: %.4g", kernel, *kernel ? ", " : "", mark->words, x),
                    GR_DRAWN_REACH, x, e->low, x, top_of(r, mark));
}

/* A single kernel has a line for each level. Of two kernels, each has one line, at the level that
 * limits it most. */
static bool add_marks(struct gr_picture *p, const struct gr_reach *r, const struct extent *e)
{
    bool alone = r->kernel_count == 1, done = true;
    struct mark marks[LEVELS];
    for (int i = 0; i < r->kernel_count; i++) {
        marks_of(r, &r->kernels[i], marks);
        int least = lowest(r, marks);
        if (i == 0)
            done &= add_mark(p, r, &marks[DRAM], "", e);
        for (int j = DRAM + 1; j < LEVELS; j++)
            if (alone || j == least)
                done &= add_mark(p, r, &marks[j], alone ? "" : r->kernels[i].name, e);
        if (r->kernels[i].measured_gflops > 0) {
            double x = r->kernels[i].block > 0 ? r->kernels[i].block : r->ideal;
            struct gr_series *series =
                gr_picture_series(p, alone ? "measured" : r->kernels[i].name, GR_DRAWN_KERNEL);
            done &= gr_series_add(series, x, r->kernels[i].measured_gflops, NULL, NULL);
        }
    }
    return done;
}

/* Levels with the same bandwidth share one roof. */
static bool add_roof(struct gr_picture *p, const struct gr_reach *r, int level, double left)
{
    double gbps = bandwidth(r, level), ridge = r->gflops / gbps;
    const char *also = "";
    if (level > 0 && bandwidth(r, level - 1) == gbps)
        return true;
    if (level + 1 < LEVELS && bandwidth(r, level + 1) == gbps)
        also = level_names[level + 1];
    return add_line(p,
                    gr_printf("%s%s%s%s %.5g GB/s", level_names[level], *also ? ", " : "", also,
                              level == DRAM ? "" : " at most", gbps),
                    GR_DRAWN_ROOF, left, gbps * left, ridge, r->gflops);
}

static bool add_all(struct gr_picture *p, const struct gr_reach *r, const struct extent *e)
{
    bool done = add_marks(p, r, e);
    double first_ridge = e->right;
    for (int i = 0; i < LEVELS; i++) {
        double ridge = bandwidth(r, i) > 0 ? r->gflops / bandwidth(r, i) : 0;
        if (!(ridge > e->left))
            continue;
        first_ridge = ridge < first_ridge ? ridge : first_ridge;
        done &= add_roof(p, r, i, e->left);
    }
    return done & add_line(p, gr_printf("peak %.5g GFLOP/s", r->gflops), GR_DRAWN_ROOF, first_ridge,
                           r->gflops, e->right, r->gflops);
}

/* ---- The text. ---- */

static void say_lowest(const struct gr_reach *r, const struct mark marks[LEVELS],
                       struct gr_str *out)
{
    int least = lowest(r, marks);
    double top = least < 0 ? r->gflops : top_of(r, &marks[least]);
    if (least < 0)
        gr_str_add(out, " None of these roofs is below the peak.");
    else
        gr_str_printf(out,
                      " The lowest roof over it is that of %s: at most %.5g GFLOP/s, %.3g %% "
                      "of the peak.",
                      level_names[least], top, 100 * top / r->gflops);
}

static void say_kernel(const struct gr_reach *r, const struct gr_reach_kernel *k,
                       struct gr_str *out)
{
    static const char *const what[LEVELS] = {
        "", "%s%.4g (blocks) where each block fetches its distinct bytes once from L2",
        "%s%.4g (sectors) of the sectors that its requests take at L1",
        "%s%.4g (shared memory) of the bytes that its passes over the banks could carry"};
    struct mark marks[LEVELS];
    const char *before = "";
    marks_of(r, k, marks);
    if (k->block > 0 || k->l1 > 0 || k->shared > 0) {
        gr_str_printf(out,
                      " %s makes, in FLOP a byte: ", r->kernel_count > 1 ? k->name : "The kernel");
        for (int i = DRAM + 1; i < LEVELS; i++) {
            if (!(marks[i].intensity > 0))
                continue;
            gr_str_printf(out, what[i], before, marks[i].intensity);
            before = "; ";
        }
        gr_str_add(out, ".");
        say_lowest(r, marks, out);
    }
    if (k->measured_gflops > 0)
        gr_str_printf(out, " Measured: %.5g GFLOP/s.", k->measured_gflops);
}

static void say_reading(const struct gr_reach *r, struct gr_str *out)
{
    bool known = false, measured = false;
    for (int i = 0; i < r->kernel_count; i++) {
        known |= r->kernels[i].block > 0 || r->kernels[i].l1 > 0;
        measured |= r->kernels[i].measured_gflops > 0;
    }
    gr_str_add(out, " The roofs of L2, L1 and shared memory are their bytes in a clock, which no "
                    "program quite reaches; the peak is that of the device file's clock. ");
    if (!known)
        gr_str_add(out, "The kernel's own intensity is not known without a simulation.");
    else if (r->kernel_count > 1)
        gr_str_add(out, "The vertical lines are at the problem's intensity and at each kernel's "
                        "for the level that feeds it least, and end at that level's roof.");
    else
        gr_str_add(out, "Each vertical line ends at the roof of its own level: ideal at DRAM's, "
                        "blocks at L2's, sectors at L1's, shared memory at its own.");
    if (!measured)
        gr_str_add(out, " No speed was measured, so there is no point.");
}

static void say(const struct gr_reach *r, struct gr_picture *p)
{
    struct gr_str text = {0}, reading = {0};
    gr_str_printf(&text,
                  "When each array is moved once, the problem offers %.4g FLOP a byte "
                  "(ideal).",
                  r->ideal);
    for (int i = 0; i < r->kernel_count; i++)
        say_kernel(r, &r->kernels[i], &text);
    say_reading(r, &reading);
    p->title = gr_printf("Below the roofs of the %s", r->device);
    p->alt = gr_printf("Roofline chart, both axes logarithmic, with a peak of %.5g GFLOP/s. %s",
                       r->gflops, gr_str_text(&text));
    p->caption =
        gr_printf("Operations for each byte. %s%s", gr_str_text(&text), gr_str_text(&reading));
    p->x_label = gr_strdup("arithmetic intensity, FLOP per byte");
    p->y_label = gr_strdup("GFLOP/s");
    p->x_log = p->y_log = true;
    gr_str_free(&text);
    gr_str_free(&reading);
}

bool gr_picture_reach(const struct gr_reach *r, struct gr_figure *f)
{
    struct gr_pictures pictures = {0};
    *f = (struct gr_figure){0};
    if (!(r->gflops > 0) || !(r->dram_gbps > 0) || !(r->ideal > 0) || r->kernel_count < 1)
        return false;
    struct gr_picture *p = gr_picture_add(&pictures, GR_PICTURE_ROOFLINE, gr_strdup("roofline"));
    f->failed = !p;
    if (p) {
        struct extent extent = extent_of(r);
        p->output = gr_strdup("roofline-plot");
        say(r, p);
        f->failed |= !add_all(p, r, &extent) || !p->output || !p->title || !p->caption || !p->alt ||
                     !p->x_label || !p->y_label;
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
