/* explain_page.h: the explanation of a kernel as one self-contained page: pictures,
 * findings, the source with what its lines cost, and every section of the explanation.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAIN_PAGE_H
#define REPORT_EXPLAIN_PAGE_H

#include "plan/workload.h"
#include "records/explanation.h"
#include "report/figure.h"

/* One launch of the kernel. */
struct gr_page_launch {
    const char *kernel; /* its function */
    unsigned grid[3], block[3];
    bool once;                    /* not among the timed ones */
    const struct gr_trace *trace; /* null: it was not simulated */
};

/* Nothing is owned; a text may be null where there is none. */
struct gr_explain_page {
    const char *name, *title;  /* "07_tile2d", "2D block tiling" */
    const char *circumstances; /* problem, device, compiler: a paragraph a line */
    const char *untraced;      /* why there is no trace, for messages */
    const char *source;        /* of the kernel's file */
    const char *command;       /* reproduces the page */
    const char *id;            /* before the ids of the listing's lines; null: nothing */
    bool data;                 /* explain.json and explain.md are next to it */
    const struct gr_problem *problem;
    const struct gr_workload *workload; /* null: that of a GEMM */
    const struct gr_explanation *explanation;
    const struct gr_page_launch *launches;
    int launch_count;
    int main_launch; /* the one that multiplies: its tiles are drawn */
    int warp;
    struct gr_tiles tiles;
    struct gr_reach reach;
    int site_line, site_column; /* draw this place; 0: the worst global and the worst shared one */
};

/* Writes into the directory, which is made: index.html, and for each picture of the page's first
 * part NAME.svg, NAME.gp and NAME.dat. INVALID: nothing at site_line and site_column touches
 * memory; the message names the lines that do. */
enum gradus_status gr_explain_page_write(const struct gr_explain_page *page, const char *directory,
                                         struct gradus_error *error);

/* ---- for explain_page.c and explain_pair.c ---- */

/* The pictures of the page's first part: requests, tiles, roofline, as far as there are any. */
enum { GR_PAGE_FIGURES = 4 };
struct gr_page_figures {
    struct gr_figure items[GR_PAGE_FIGURES];
    int count;
};
void gr_page_figures_make(const struct gr_explain_page *page, struct gr_page_figures *figures);
void gr_page_figures_free(struct gr_page_figures *figures);
/* DIRECTORY/NAME.EXTENSION; and NAME.svg, NAME.gp, NAME.dat of a picture. */
enum gradus_status gr_page_text_write(const char *directory, const char *name,
                                      const char *extension, const struct gr_str *text,
                                      struct gradus_error *error);
enum gradus_status gr_page_figure_write(const struct gr_figure *figure, const char *directory,
                                        struct gradus_error *error);

/* The site that costs most beyond what would do (or, where none does, the most) in a space; false:
 * there is none. With a line, among the sites there only; a column of 0 is any. */
bool gr_page_worst_site(const struct gr_explain_page *page, enum gr_space space, int line,
                        int column, struct gr_figure_site *where);
/* INVALID as above. */
enum gradus_status gr_page_no_such_site(const struct gr_explain_page *page,
                                        struct gradus_error *error);
/* Appends <figure> with both widths. `files`: link to gnuplot's beside the page. */
void gr_page_figure(const struct gr_figure *figure, bool files, struct gr_str *out);
/* True where a launch was simulated and touched memory. */
bool gr_page_is_traced(const struct gr_explain_page *page);
/* Appends the source with the costs of its lines; the pictures of every site. */
void gr_page_listing(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_sites(const struct gr_explain_page *page, struct gr_str *out);
/* The lines that touch memory and those about them, each with its costs. */
void gr_page_source(const struct gr_explain_page *page, struct gr_str *out);
/* Calls `add` with each line of a text that is `wanted`, and shows by a row of three columns
 * where lines are left out. */
void gr_page_rows(const char *source, bool (*wanted)(const void *own, int number),
                  void (*add)(const void *own, int number, const char *text, size_t length,
                              struct gr_str *out),
                  const void *own, struct gr_str *out);
/* Appends the source beside the machine code, where that was executed. */
bool gr_page_has_code(const struct gr_explain_page *page);
void gr_page_code(const struct gr_explain_page *page, struct gr_str *out);
/* The page's beginning, to <main>; at its end, what the script walks through (walk.js), and the
 * script. */
void gr_page_open(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_walk(const struct gr_explain_page *page, struct gr_str *out);
/* True where the listing has that line; its row is then "#line-24", after the page's `id`. */
bool gr_page_lists(const struct gr_explain_page *page, int line);
/* Appends findings; sections and claims. */
void gr_page_findings(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_finding(const struct gr_explain_page *page, const struct gr_finding *finding,
                     struct gr_str *out);
void gr_page_sections(const struct gr_explanation *explanation, struct gr_str *out);

#endif
