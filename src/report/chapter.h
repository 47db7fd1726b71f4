/* chapter.h: what the page of a run shows about one kernel besides its rows: its idea, its
 * difference from the kernel before it, and pictures of its memory accesses.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_CHAPTER_H
#define REPORT_CHAPTER_H

#include "report/figure.h"

enum { GR_CHAPTER_FIGURES = 3 };

/* A chapter owns all its members. A text may be null if there is none. */
struct gr_chapter {
    char *name, *title; /* for example "07_tile2d" and "2D block tiling" */
    char *ideas;        /* one paragraph in each line */
    char *before;       /* the kernel that the diff starts from */
    char *diff;         /* a unified diff */
    char *size;         /* the size that the pictures show: "256" */
    char *page;         /* the page of the kernel: "07_tile2d/index.html" */
    struct gr_figure figures[GR_CHAPTER_FIGURES];
    int figure_count;
};

struct gr_chapters {
    struct gr_chapter *items;
    int count;
};

/* Removes the pictures of a chapter. */
void gr_chapter_forget(struct gr_chapter *chapter);
void gr_chapters_free(struct gr_chapters *chapters);
/* Appends a section with those chapters that have any content. */
void gr_html_chapters(const struct gr_chapters *chapters, struct gr_str *out);

#endif
