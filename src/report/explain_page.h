/* explain_page.h: the explanation of a kernel as one self-contained page: pictures, findings, the
 * source with the costs of its lines, and every section of the explanation.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAIN_PAGE_H
#define REPORT_EXPLAIN_PAGE_H

#include "plan/workload.h"
#include "records/explanation.h"
#include "report/figure.h"

/* One launch of the kernel. */
struct gr_page_launch {
    const char *kernel; /* the name of the function */
    unsigned grid[3], block[3];
    bool once;                    /* the launch is not part of what is timed */
    const struct gr_trace *trace; /* null: the launch was not simulated */
};

/* The page owns none of its members. A text may be null if there is none. */
struct gr_explain_page {
    const char *name, *title;  /* for example "07_tile2d" and "2D block tiling" */
    const char *circumstances; /* problem, device and compiler, one paragraph in each line */
    const char *untraced;      /* the reason why there is no trace, for messages */
    const char *source;        /* the text of the kernel's file */
    const char *command;       /* the command that reproduces the page */
    const char *id;            /* the prefix of the ids of the listing's lines; null: none */
    bool data;                 /* explain.json and explain.md are in the same folder */
    const struct gr_problem *problem;
    const struct gr_workload *workload; /* null: the workload is a GEMM */
    const struct gr_explanation *explanation;
    const struct gr_page_launch *launches;
    int launch_count;
    int main_launch; /* the launch that multiplies, whose tiles are drawn */
    int warp;
    const char *const *amd_kept; /* the device is AMD's: words that stay (report/amd_figure.h), up
                                    to a null; null: the words are CUDA's */
    struct gr_tiles tiles;
    struct gr_reach reach;
    int site_line, site_column; /* draw the access at this position; 0: the worst access to global
                                   and to shared memory */
};

/* Creates the directory and writes index.html into it, and for each picture of the page's first
 * part NAME.svg, NAME.gp and NAME.dat. Returns INVALID if nothing at site_line and site_column
 * accesses memory; the message names the lines that do. */
enum gradus_status gr_explain_page_write(const struct gr_explain_page *page, const char *directory,
                                         struct gradus_error *error);

/* ---- For explain_page.c and explain_pair.c. ---- */

/* The pictures of the page's first part: requests, tiles, and roofline, as far as they exist. */
enum { GR_PAGE_FIGURES = 4 };
struct gr_page_figures {
    struct gr_figure items[GR_PAGE_FIGURES];
    int count;
};
void gr_page_figures_make(const struct gr_explain_page *page, struct gr_page_figures *figures);
void gr_page_figures_free(struct gr_page_figures *figures);
/* Write DIRECTORY/NAME.EXTENSION; and NAME.svg, NAME.gp, NAME.dat of a picture. */
enum gradus_status gr_page_text_write(const char *directory, const char *name,
                                      const char *extension, const struct gr_str *text,
                                      struct gradus_error *error);
enum gradus_status gr_page_figure_write(const struct gr_figure *figure, const char *directory,
                                        struct gradus_error *error);

/* Finds the access to a memory space that costs most beyond its ideal cost or, if none does, the
 * access that costs most. With a line, only accesses there are considered; column 0 stands for any
 * column. Returns false if there is none. */
bool gr_page_worst_site(const struct gr_explain_page *page, enum gr_space space, int line,
                        int column, struct gr_figure_site *where);
/* Returns INVALID with a message, as described for gr_explain_page_write. */
enum gradus_status gr_page_no_such_site(const struct gr_explain_page *page,
                                        struct gradus_error *error);
/* Appends a <figure> with the wide and the narrow picture. `files`: with links to the gnuplot files
 * next to the page. */
void gr_page_figure(const struct gr_figure *figure, bool files, struct gr_str *out);
/* Was any launch simulated, and has it accessed memory? */
bool gr_page_is_traced(const struct gr_explain_page *page);
/* Append the source with the costs of its lines; and the pictures of all accesses. */
void gr_page_listing(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_sites(const struct gr_explain_page *page, struct gr_str *out);
/* Appends the lines that access memory, each with its costs, and a few lines around them. */
void gr_page_source(const struct gr_explain_page *page, struct gr_str *out);
/* Calls `add` for each line of a text for which `wanted` is true. A row across the three columns
 * marks where lines are left out. */
void gr_page_rows(const char *source, bool (*wanted)(const void *own, int number),
                  void (*add)(const void *own, int number, const char *text, size_t length,
                              struct gr_str *out),
                  const void *own, struct gr_str *out);
/* Appends the source next to the machine code, if machine code was executed. */
bool gr_page_has_code(const struct gr_explain_page *page);
void gr_page_code(const struct gr_explain_page *page, struct gr_str *out);
/* The beginning of the page, up to <main>; and at its end, the data that the script steps through
 * (walk.js), and the script. */
void gr_page_open(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_walk(const struct gr_explain_page *page, struct gr_str *out);
/* Has the listing a row for this line? The id of the row is then "line-24", after the page's
 * `id`. */
bool gr_page_lists(const struct gr_explain_page *page, int line);
/* Append the findings; and the sections and claims. */
void gr_page_findings(const struct gr_explain_page *page, struct gr_str *out);
void gr_page_finding(const struct gr_explain_page *page, const struct gr_finding *finding,
                     struct gr_str *out);
void gr_page_sections(const struct gr_explanation *explanation, struct gr_str *out);

#endif
