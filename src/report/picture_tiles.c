/* picture_tiles.c: how a kernel partitions the product: C into the tiles of blocks, the tile of a
 * block into those of warps and threads, and the step along K. SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MARGIN = 8,
    HEAD = 26,       /* the height of a panel's title */
    GAP = 8,         /* between A, B and C */
    LEAST_PITCH = 3, /* lines that are closer are not drawn */
};

struct tiling {
    const struct gr_problem *problem;
    struct gr_tiles tiles;
    const unsigned *grid, *block;
    int warp;
    bool named;       /* the tile size of a block is known */
    bool misfit;      /* the tile size has a name, but it is that of another launch */
    int64_t elements; /* the elements of C that a thread computes; 0: not known */
};

struct area {
    double x, y, width, height;
};

/* ---- The text. ---- */

static int64_t cut_into(int64_t whole, int64_t tile)
{
    return tile > 0 ? (whole + tile - 1) / tile : 0;
}

static bool has_thread_tile(const struct tiling *t)
{
    return t->tiles.tm > 0 && t->tiles.tn > 0 && t->tiles.tm * t->tiles.tn > 1;
}

/* Does a thread compute one element, or a block of elements of known shape? */
static bool shows_thread(const struct tiling *t)
{
    return has_thread_tile(t) || t->elements == 1;
}

static void say_named(const struct tiling *t, struct gr_str *out)
{
    const struct gr_tiles *s = &t->tiles;
    const struct gr_problem *p = t->problem;
    gr_str_printf(out,
                  "C, %" PRId64 " x %" PRId64 ", is cut into %" PRId64 " x %" PRId64
                  " tiles of BM x BN = %" PRId64 " x %" PRId64 ", one for a block",
                  p->m, p->n, cut_into(p->m, s->bm), cut_into(p->n, s->bn), s->bm, s->bn);
    if (s->bk)
        gr_str_printf(
            out, "; the block goes along K = %" PRId64 " in %" PRId64 " steps of BK = %" PRId64,
            p->k, cut_into(p->k, s->bk), s->bk);
    gr_str_add(out, ".");
    if (s->wm && s->wn)
        gr_str_printf(out,
                      " A warp has WM x WN = %" PRId64 " x %" PRId64 " of it, so there are %" PRId64
                      " warps.",
                      s->wm, s->wn, cut_into(s->bm, s->wm) * cut_into(s->bn, s->wn));
    if (has_thread_tile(t))
        gr_str_printf(out,
                      " A thread has TM x TN = %" PRId64 " x %" PRId64
                      " elements: for each k, %" PRId64 " numbers feed %" PRId64
                      " multiply-adds. They are drawn side by side; a kernel may spread them.",
                      s->tm, s->tn, s->tm + s->tn, s->tm * s->tn);
    else if (t->elements)
        gr_str_printf(out, " A thread has %" PRId64 " element%s.", t->elements,
                      t->elements == 1 ? "" : "s");
}

static void say_grid(const struct tiling *t, struct gr_str *out)
{
    gr_str_printf(out, "The grid has %u x %u x %u blocks of %u x %u x %u threads.", t->grid[0],
                  t->grid[1], t->grid[2], t->block[0], t->block[1], t->block[2]);
    if (t->problem)
        gr_str_printf(out, " %s, so how C is cut is not drawn.",
                      t->misfit ? "The tiles that the file names need more threads than this "
                                  "launch has"
                                : "The file names no tile (BM, BN, BK)");
}

static void say(const struct tiling *t, struct gr_figure *f)
{
    struct gr_str alt = {0};
    if (t->named)
        say_named(t, &alt);
    else
        say_grid(t, &alt);
    f->title = gr_strdup(t->named ? "How the product is cut into tiles" : "Grid and block");
    f->caption = gr_strdup(gr_str_text(&alt));
    f->failed |= alt.failed;
    f->alt = alt.text;
}

/* ---- The drawing. ---- */

static void title(struct gr_str *out, const struct area *a, const char *text)
{
    gr_svg_text(out, "strong", GR_ANCHOR_START, a->x, a->y + 12, text);
}

/* Draws the lines between columns and rows of an area, unless they are too close. */
static void cut(struct gr_str *out, const char *style, const struct area *a, double columns,
                double rows)
{
    for (int i = 1; a->width / columns >= LEAST_PITCH && i < columns; i++)
        gr_svg_line(out, style, a->x + a->width * i / columns, a->y, a->x + a->width * i / columns,
                    a->y + a->height);
    for (int i = 1; a->height / rows >= LEAST_PITCH && i < rows; i++)
        gr_svg_line(out, style, a->x, a->y + a->height * i / rows, a->x + a->width,
                    a->y + a->height * i / rows);
}

static void box(struct gr_str *out, const char *style, const struct area *a, const char *hint)
{
    gr_svg_box(out, style, a->x, a->y, a->width, a->height, hint);
}

/* The areas of A (left), B (above) and C, to scale, but each with a minimal width. `k` is drawn no
 * longer than the longer side of C. */
struct trio {
    struct area a, b, c;
};

static struct trio place(const struct area *panel, double m, double n, double k)
{
    double most = m > n ? m : n;
    double deep = k > most ? most : k < most / 12 ? most / 12 : k;
    m = m < most / 12 ? most / 12 : m;
    n = n < most / 12 ? most / 12 : n;
    double across = (panel->width - GAP) / (deep + n),
           down = (panel->height - HEAD - GAP) / (deep + m);
    double unit = across < down ? across : down;
    double x = panel->x + unit * deep + GAP, y = panel->y + HEAD + unit * deep + GAP;
    return (struct trio){{panel->x, y, unit * deep, unit * m},
                         {x, panel->y + HEAD, unit * n, unit * deep},
                         {x, y, unit * n, unit * m}};
}

/* Draws the name of an area. It must be drawn after lines and tints. */
static void name_area(struct gr_str *out, double x, double y, const char *text)
{
    gr_svg_text(out, "halo strong", GR_ANCHOR_MIDDLE, x, y, text);
}

/* A part of an area, with its position and size as fractions of the area. */
static struct area part(const struct area *a, double x, double y, double width, double height)
{
    return (struct area){a->x + a->width * x, a->y + a->height * y, a->width * width,
                         a->height * height};
}

/* Draws one block of the grid, and the parts of A and B that it reads. */
static void draw_grid(const struct tiling *t, const struct area *panel, struct gr_str *out)
{
    const struct gr_problem *p = t->problem;
    struct trio at = place(panel, (double)p->m, (double)p->n, (double)p->k);
    double rows = (double)p->m / (double)t->tiles.bm, columns = (double)p->n / (double)t->tiles.bn;
    rows = rows < 1 ? 1 : rows;
    columns = columns < 1 ? 1 : columns;
    double i = floor(rows / 3), j = floor(columns / 2);
    title(out, panel, "The grid: a tile of C for each block");
    box(out, "tile", &at.a, "A");
    box(out, "tile", &at.b, "B");
    box(out, "tile", &at.c, "C");
    struct area c = at.c;
    cut(out, "fine", &c, columns, rows);
    struct area lit = part(&c, j / columns, i / rows, 1 / columns, 1 / rows);
    struct area a = part(&at.a, 0, i / rows, 1, 1 / rows);
    struct area b = part(&at.b, j / columns, 0, 1 / columns, 1);
    box(out, "lit-a", &a, "the rows of A that the block reads");
    box(out, "lit-b", &b, "the columns of B that the block reads");
    box(out, "lit block", &lit, "one block's tile of C");
    name_area(out, at.a.x + at.a.width / 2, at.a.y + at.a.height - 6, "A");
    name_area(out, at.b.x + at.b.width - 11, at.b.y + at.b.height / 2 + 4, "B");
    name_area(out, at.c.x + at.c.width - 11, at.c.y + at.c.height - 6, "C");
}

/* Draws the block's tile: a step along K, the warps, and one thread. */
static void draw_block(const struct tiling *t, const struct area *panel, struct gr_str *out)
{
    const struct gr_tiles *s = &t->tiles;
    char text[96];
    double k = s->bk ? (double)s->bk : (double)(s->bm < s->bn ? s->bm : s->bn) / 4;
    struct trio at = place(panel, (double)s->bm, (double)s->bn, k);
    double tm = s->tm ? (double)s->tm : 1, tn = s->tn ? (double)s->tn : 1;
    double rows = (double)s->bm / tm, columns = (double)s->bn / tn;
    snprintf(text, sizeof text,
             s->bk ? "A block: %" PRId64 " x %" PRId64 ", step %" PRId64 " of K"
                   : "A block: %" PRId64 " x %" PRId64 " of C",
             s->bm, s->bn, s->bk);
    title(out, panel, text);
    box(out, "lit-a", &at.a, "a step of A: BM x BK");
    box(out, "lit-b", &at.b, "a step of B: BK x BN");
    box(out, "lit", &at.c, "the block's tile of C");
    if (shows_thread(t))
        cut(out, "fine", &at.c, columns, rows);
    if (s->wm && s->wn) {
        struct area warp =
            part(&at.c, 0, 0, (double)s->wn / (double)s->bn, (double)s->wm / (double)s->bm);
        cut(out, "cut", &at.c, (double)s->bn / (double)s->wn, (double)s->bm / (double)s->wm);
        box(out, "frame", &warp, "a warp's tile: WM x WN");
    }
    if (!shows_thread(t))
        return;
    struct area thread = part(&at.c, 0, 0, 1 / columns, 1 / rows);
    struct area row = part(&at.a, 0, 0, 1, 1 / rows), column = part(&at.b, 0, 0, 1 / columns, 1);
    box(out, "f1", &row, "a thread's rows of A");
    box(out, "f1", &column, "a thread's columns of B");
    box(out, "f1 thread", &thread, "a thread's elements of C");
}

/* Draws a thread's elements, its fragments of A and B, and writes their sizes. */
static void draw_thread(const struct tiling *t, const struct area *panel, struct gr_str *out)
{
    const struct gr_tiles *s = &t->tiles;
    int64_t tm = s->tm ? s->tm : 1, tn = s->tn ? s->tn : 1;
    double most = (double)(tm > tn ? tm : tn);
    struct area half = *panel;
    half.width = half.width < 170 ? half.width : 170;
    half.height = half.height < 170 ? half.height : 170;
    struct trio at = place(&half, (double)tm, (double)tn, most / 8 > 1 ? most / 8 : 1);
    char text[96];
    snprintf(text, sizeof text, "A thread: %" PRId64 " x %" PRId64 " of C", tm, tn);
    title(out, panel, text);
    box(out, "lit-a", &at.a, "TM numbers of A");
    box(out, "lit-b", &at.b, "TN numbers of B");
    box(out, "f1 thread", &at.c, "TM x TN sums");
    cut(out, "cut", &at.a, 1, (double)tm);
    cut(out, "cut", &at.b, (double)tn, 1);
    struct area c = at.c;
    for (int i = 1; i < tn; i++)
        gr_svg_line(out, "axis paper", c.x + c.width * i / (double)tn, c.y,
                    c.x + c.width * i / (double)tn, c.y + c.height);
    for (int i = 1; i < tm; i++)
        gr_svg_line(out, "axis paper", c.x, c.y + c.height * i / (double)tm, c.x + c.width,
                    c.y + c.height * i / (double)tm);
    double y = panel->y + half.height + 14;
    snprintf(text, sizeof text, "%" PRId64 " + %" PRId64 " numbers feed", tm, tn);
    gr_svg_text(out, "label", GR_ANCHOR_START, panel->x, y, text);
    snprintf(text, sizeof text,
             tm * tn == 1 ? "%" PRId64 " multiply-add for each k"
                          : "%" PRId64 " multiply-adds for each k",
             tm * tn);
    gr_svg_text(out, "label", GR_ANCHOR_START, panel->x, y + 16, text);
}

/* ---- The launch, if the kernel has no names for its tiles. ---- */

/* An area of columns x rows in a panel, to scale, but with a minimal width. */
static struct area fit(const struct area *panel, double columns, double rows)
{
    double most = columns > rows ? columns : rows;
    columns = columns < most / 16 ? most / 16 : columns;
    rows = rows < most / 16 ? most / 16 : rows;
    double across = panel->width / columns, down = (panel->height - HEAD) / rows;
    double unit = across < down ? across : down;
    return (struct area){panel->x, panel->y + HEAD, unit * columns, unit * rows};
}

static void draw_launch(const struct tiling *t, const struct area *panels, struct gr_str *out)
{
    char text[96];
    double x = t->grid[0], y = t->grid[1];
    struct area at = fit(&panels[0], x, y), one = part(&at, 0, 0, 1 / x, 1 / y);
    snprintf(text, sizeof text, "Grid: %u x %u x %u blocks", t->grid[0], t->grid[1], t->grid[2]);
    title(out, &panels[0], text);
    box(out, "tile", &at, "the grid, x to the right, y downwards");
    cut(out, "fine", &at, x, y);
    box(out, "lit block", &one, "one block");
    x = t->block[0];
    y = t->block[1];
    at = fit(&panels[1], x, y);
    snprintf(text, sizeof text, "Block: %u x %u x %u threads", t->block[0], t->block[1],
             t->block[2]);
    title(out, &panels[1], text);
    box(out, "lit", &at, "the block, x to the right, y downwards");
    cut(out, "fine", &at, x, y);
    double share = t->warp / x, rows = share > 1 ? ceil(share) : 1;
    one = part(&at, 0, 0, share < 1 ? share : 1, rows / y < 1 ? rows / y : 1);
    box(out, "f1 thread", &one, "the first warp");
}

static void draw_legend(const struct tiling *t, double y, double width, struct gr_str *out)
{
    struct gr_legend legend = {out, MARGIN, MARGIN, y, width - MARGIN};
    const char *warp = t->tiles.amd ? "a wavefront" : "a warp"; /* here, as a legend is laid out */
    gr_legend_item(&legend, "lit", "a block");
    if (t->named && t->tiles.wm && t->tiles.wn)
        gr_legend_item(&legend, "frame", warp);
    if (!t->named || shows_thread(t))
        gr_legend_item(&legend, "f1", t->named ? "a thread" : warp);
    if (t->named) {
        gr_legend_item(&legend, "lit-a", "what it reads of A");
        gr_legend_item(&legend, "lit-b", "of B");
    }
}

static void draw(const void *model, const struct gr_figure *f, double width, struct gr_str *out)
{
    const struct tiling *t = model;
    bool wide = width > 500;
    int count = t->named && shows_thread(t) ? 3 : 2;
    double gap = 28, each = wide ? (width - 2 * MARGIN - 2 * gap) / 3 : width - 2 * MARGIN;
    double tall = wide ? each + HEAD - 10 : each * 0.82 + HEAD;
    struct area panels[3];
    double y = 4;
    const struct gr_problem *p = t->problem;
    struct area first = {0, 0, each, tall};
    struct trio at = {0};
    if (t->named)
        at = place(&first, (double)p->m, (double)p->n, (double)p->k);
    for (int i = 0; i < 3; i++) {
        double height = wide                 ? tall
                        : i == 2             ? 214
                        : i == 0 && t->named ? at.c.y + at.c.height
                                             : tall;
        panels[i] = (struct area){wide ? MARGIN + i * (each + gap) : MARGIN, y, each, height};
        if (!wide && i + 1 < count)
            y += height + 18;
    }
    double foot = y + (wide ? tall : panels[count - 1].height) + 24;
    gr_svg_open(out, f->title, f->alt, width, foot + (wide || !t->named ? 10 : 26));
    if (t->named) {
        draw_grid(t, &panels[0], out);
        draw_block(t, &panels[1], out);
        if (count == 3)
            draw_thread(t, &panels[2], out);
    } else {
        draw_launch(t, panels, out);
    }
    draw_legend(t, foot, width, out);
    gr_svg_close(out);
}

/* Writes the block's tile for gnuplot: the lines between warps and between threads. */
static void add_gnuplot(const struct tiling *t, struct gr_figure *f)
{
    const struct gr_tiles *s = &t->tiles;
    double across = t->named ? (double)s->bn : t->block[0],
           down = t->named ? (double)s->bm : t->block[1];
    gr_figure_script(f, "what, left, top, width, height; in elements of the block's tile", 600);
    gr_str_printf(&f->script,
                  "set size ratio -1\nset xrange [0:%g]\nset yrange [%g:0]\nunset key\n"
                  "set style fill transparent solid 0.3\n"
                  "plot data using ($2+$4/2):($3+$5/2):($4/2):($5/2) with boxxyerror, \\\n"
                  "    data using ($2+$4/2):($3+$5/2):1 with labels\n",
                  across, down);
    gr_str_printf(&f->data, "block\t0\t0\t%g\t%g\n", across, down);
    if (s->wm && s->wn)
        gr_str_printf(&f->data, "warp\t0\t0\t%" PRId64 "\t%" PRId64 "\n", s->wn, s->wm);
    if (t->named && shows_thread(t))
        gr_str_printf(&f->data, "thread\t0\t0\t%" PRId64 "\t%" PRId64 "\n", s->tn ? s->tn : 1,
                      s->tm ? s->tm : 1);
}

static int64_t threads_of(const struct tiling *t)
{
    int64_t threads = (int64_t)t->block[0] * t->block[1] * t->block[2];
    return threads > 0 ? threads : 1;
}

/* Do the tiles match this launch? A file may have several kernels with different tiles. There may
 * be more threads than the tiles need, because some may do other work. */
static bool fits(const struct tiling *t)
{
    const struct gr_tiles *s = &t->tiles;
    int64_t wanted = has_thread_tile(t) ? cut_into(s->bm, s->tm) * cut_into(s->bn, s->tn) : 1;
    int64_t warps = s->wm && s->wn ? cut_into(s->bm, s->wm) * cut_into(s->bn, s->wn) : 0;
    return threads_of(t) >= wanted && threads_of(t) >= warps * t->warp;
}

void gr_picture_tiles(const struct gr_problem *problem, const struct gr_tiles *tiles,
                      const unsigned grid[3], const unsigned block[3], int warp,
                      struct gr_figure *f)
{
    struct tiling t = {.problem = problem,
                       .tiles = *tiles,
                       .grid = grid,
                       .block = block,
                       .warp = warp > 0 ? warp : 32};
    t.named = problem && tiles->bm > 0 && tiles->bn > 0 && problem->m > 0 && problem->n > 0 &&
              problem->k > 0;
    t.misfit = t.named && !fits(&t);
    t.named &= !t.misfit;
    if (t.named && tiles->bm * tiles->bn % threads_of(&t) == 0)
        t.elements = tiles->bm * tiles->bn / threads_of(&t);
    *f = (struct gr_figure){.name = gr_strdup("tiles")};
    say(&t, f);
    if (f->name)
        add_gnuplot(&t, f);
    if (t.named || (grid[0] && grid[1] && block[0] && block[1]))
        gr_figure_draw(f, draw, &t);
}
