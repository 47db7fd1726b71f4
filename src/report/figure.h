/* figure.h: a picture of a kernel: a text that describes it, an SVG for wide and one for narrow
 * screens, and the files of gnuplot for papers. Each picture is drawn by one file,
 * picture_<name>.c. SPDX-License-Identifier: MIT */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "base/str.h"
#include "records/problem.h"
#include "records/trace.h"

/* A figure owns all its members. It is initialised with {0}. */
struct gr_figure {
    char *name; /* the stem of its file names: "sectors" */
    char *title, *caption,
        *alt; /* `alt` describes the picture in a sentence or two for readers who do not see it */
    struct gr_str wide, narrow; /* <svg> elements */
    struct gr_str script, data; /* NAME.gp and NAME.dat for gnuplot */
    bool failed;                /* memory ran out */
};
void gr_figure_free(struct gr_figure *figure);

/* An access of a kernel, and its source position. It owns none of its members. */
struct gr_figure_site {
    const struct gr_trace *trace;
    const struct gr_trace_site *site;
    const char *kernel; /* the function of its stanza; "": the kernel has only one */
};

/* Draws a request to global memory: which bytes each lane of a warp accesses, and the sectors that
 * contain them. */
void gr_picture_lanes(const struct gr_figure_site *where, const char *name,
                      struct gr_figure *figure);
/* Draws a request to shared memory: how many distinct words each bank must deliver in each
 * phase. */
void gr_picture_banks(const struct gr_figure_site *where, const char *name,
                      struct gr_figure *figure);

/* The tile sizes of a kernel by their usual names; 0: the kernel has no such name. */
struct gr_tiles {
    int64_t bm, bn, bk, wm, wn, tm, tn;
    bool amd; /* a warp is called a wavefront */
};
/* Draws how C is divided into the tiles of blocks, and the tile of a block into those of warps and
 * threads. Without bm and bn, or with a null problem (if the kernel is no GEMM), draws the grid and
 * the block. */
void gr_picture_tiles(const struct gr_problem *problem, const struct gr_tiles *tiles,
                      const unsigned grid[3], const unsigned block[3], int warp,
                      struct gr_figure *figure);

/* The arithmetic intensities of a kernel at each level of the memory hierarchy, in FLOP per byte.
 * 0: not known, and not drawn. */
struct gr_reach_kernel {
    const char *name;
    /* By the distinct bytes of each block, which L2 must deliver once for each block. */
    double block;
    double l1;     /* by the bytes of the sectors that the requests need in L1 */
    double shared; /* by the bytes that the banks of shared memory could transfer in all passes of
                      the requests */
    double measured_gflops;
};

/* The device's roofs, and one or two kernels below them. Rates are in 10^9 per second. 0: not
 * known, and not drawn. */
enum { GR_REACH_KERNELS = 2 };
struct gr_reach {
    const char *device;
    double gflops, dram_gbps;
    double l2_gbps, l1_gbps, shared_gbps; /* upper bounds */
    double ideal;                         /* FLOP per byte if each array is moved only once */
    struct gr_reach_kernel kernels[GR_REACH_KERNELS];
    int kernel_count;
};
/* Draws the roofline. Returns false, without a figure, if neither roofs nor intensities are
 * known. */
bool gr_picture_reach(const struct gr_reach *reach, struct gr_figure *figure);

/* ---- For the files picture_<name>.c. ---- */

typedef void gr_draw_fn(const void *model, const struct gr_figure *figure, double width,
                        struct gr_str *out);
/* Draws the wide and the narrow picture. The texts must be set before. */
void gr_figure_draw(struct gr_figure *figure, gr_draw_fn *draw, const void *model);
/* Begins the gnuplot script: the terminal, the output NAME-plot.svg, the title, and `data`. */
void gr_figure_script(struct gr_figure *figure, const char *columns, int height);
/* Writes an address as an offset in an array, such as "A + 16 KB", or only the offset, such as "+
 * 96". */
void gr_word_offset(const char *array, int64_t bytes, char *word, size_t size);
/* Appends a position such as "line 24, column 19: load of A", with the kernel's name if there are
 * several. */
void gr_site_format(const struct gr_figure_site *where, struct gr_str *out);

/* The costs of all requests of an access, in sectors or wavefronts: the actual and the ideal
 * ones. */
struct gr_site_cost {
    double each, best; /* per request */
    const char *unit;  /* "sector" or "wavefront" */
};
struct gr_site_cost gr_site_cost_of(const struct gr_trace_site *site);
/* Appends "32 sectors a request, where 4 would do" or "1 wavefront a request, the fewest there can
 * be". */
void gr_site_format_cost(const struct gr_site_cost *cost, struct gr_str *out);
/* Appends the text below the picture of a request: the block and thread that it is from, and the
 * costs of all requests. */
void gr_site_format_request(const struct gr_trace_site *site, struct gr_str *out);

/* A row of colour samples with words. It continues in a new line when it is full. */
struct gr_legend {
    struct gr_str *out;
    double left, x, y, right;
};
void gr_legend_item(struct gr_legend *legend, const char *style, const char *words);

#endif
