/* figure.h: a picture of a kernel, drawn: what it says in words, an SVG for a desk and one for a
 * phone, and what gnuplot needs for a paper. One file a picture, picture_<name>.c.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "base/str.h"
#include "records/problem.h"
#include "records/trace.h"

/* All owned. Start with {0}. */
struct gr_figure {
    char *name; /* the stem of its files: "sectors" */
    char *title, *caption,
        *alt;                   /* `alt` says in a sentence or two what somebody sees who sees it */
    struct gr_str wide, narrow; /* <svg> */
    struct gr_str script, data; /* gnuplot's NAME.gp and NAME.dat */
    bool failed;                /* memory ran out */
};
void gr_figure_free(struct gr_figure *figure);

/* A site and its position. Nothing is owned. */
struct gr_figure_site {
    const struct gr_trace *trace;
    const struct gr_trace_site *site;
    const char *kernel; /* its stanza's function; "": there is but one */
};

/* Which bytes of memory each lane of a warp asks for, and in which sectors they lie: one request of
 * a global site. */
void gr_picture_lanes(const struct gr_figure_site *where, const char *name,
                      struct gr_figure *figure);
/* How many distinct words each bank must deliver, phase by phase: one request of a shared site. */
void gr_picture_banks(const struct gr_figure_site *where, const char *name,
                      struct gr_figure *figure);

/* The tiles of a kernel by their names in the literature; 0: it has no such name. */
struct gr_tiles {
    int64_t bm, bn, bk, wm, wn, tm, tn;
};
/* C cut into the tiles of blocks, a block's into those of warps and threads. Without bm and bn, or
 * with a null problem, which is that of a kernel that is no GEMM: the grid and the block. */
void gr_picture_tiles(const struct gr_problem *problem, const struct gr_tiles *tiles,
                      const unsigned grid[3], const unsigned block[3], int warp,
                      struct gr_figure *figure);

/* How much arithmetic a kernel makes of a byte, level by level, FLOP a byte; 0: not known, not
 * drawn. */
struct gr_reach_kernel {
    const char *name;
    double block;  /* of each block's distinct bytes, fetched once a block: what L2 must deliver */
    double l1;     /* of the bytes in the sectors that its requests take at L1 */
    double shared; /* of the bytes that its passes over the banks of shared memory could carry */
    double measured_gflops;
};

/* The device's roofs and the position of one or two kernels below them. Rates in 10^9 a second; 0:
 * not known, not drawn. */
enum { GR_REACH_KERNELS = 2 };
struct gr_reach {
    const char *device;
    double gflops, dram_gbps;
    double l2_gbps, l1_gbps, shared_gbps; /* at most */
    double ideal;                         /* FLOP a byte: each array moved once */
    struct gr_reach_kernel kernels[GR_REACH_KERNELS];
    int kernel_count;
};
/* False where neither roofs nor intensities are known: there is no figure then. */
bool gr_picture_reach(const struct gr_reach *reach, struct gr_figure *figure);

/* ---- for those files ---- */

typedef void gr_draw_fn(const void *model, const struct gr_figure *figure, double width,
                        struct gr_str *out);
/* Draws both widths. The texts must be set before. */
void gr_figure_draw(struct gr_figure *figure, gr_draw_fn *draw, const void *model);
/* Begins the gnuplot script: terminal, output NAME-plot.svg, title, `data`. */
void gr_figure_script(struct gr_figure *figure, const char *columns, int height);
/* "A + 16 KB", "+ 96". */
void gr_word_offset(const char *array, int64_t bytes, char *word, size_t size);
/* Appends "line 24, column 19: load of A" with the kernel's name where there are several. */
void gr_site_format(const struct gr_figure_site *where, struct gr_str *out);

/* What a site's requests cost, in sectors or wavefronts, and with what they would do: in all, over
 * its requests. */
struct gr_site_cost {
    double each, best; /* of a request */
    const char *unit;  /* "sector", "wavefront" */
};
struct gr_site_cost gr_site_cost_of(const struct gr_trace_site *site);
/* Appends "32 sectors a request, where 4 would do", or "1 wavefront a request, the fewest there can
 * be". */
void gr_site_format_cost(const struct gr_site_cost *cost, struct gr_str *out);
/* Appends the text below the picture of a request: where it was seen, and what all requests
 * cost. */
void gr_site_format_request(const struct gr_trace_site *site, struct gr_str *out);

/* A row of swatches and words, which goes on in a new line where it is full. */
struct gr_legend {
    struct gr_str *out;
    double left, x, y, right;
};
void gr_legend_item(struct gr_legend *legend, const char *style, const char *words);

#endif
