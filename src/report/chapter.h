/* chapter.h: what a run's page shows of one kernel in addition to its rows: the idea, what it
 * changes in the one before it, and what it does with memory, drawn. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_CHAPTER_H
#define REPORT_CHAPTER_H

#include "report/figure.h"

enum { GR_CHAPTER_FIGURES = 3 };

/* All owned; a text may be null where there is none. */
struct gr_chapter {
    char *name, *title; /* "07_tile2d", "2D block tiling" */
    char *ideas;        /* a paragraph a line */
    char *before;       /* the kernel that `diff` begins with */
    char *diff;         /* unified */
    char *size;         /* of what is drawn: "256" */
    char *page;         /* the kernel's own page: "07_tile2d/index.html" */
    struct gr_figure figures[GR_CHAPTER_FIGURES];
    int figure_count;
};

struct gr_chapters {
    struct gr_chapter *items;
    int count;
};

/* Forgets what is drawn. */
void gr_chapter_forget(struct gr_chapter *chapter);
void gr_chapters_free(struct gr_chapters *chapters);
/* Appends a section with those chapters that have something to say. */
void gr_html_chapters(const struct gr_chapters *chapters, struct gr_str *out);

#endif
