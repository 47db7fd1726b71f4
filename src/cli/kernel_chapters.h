/* kernel_chapters.h: the chapters of a measuring run's report, one for each kernel: its idea, its
 * difference from the rung before it and, if it is simulated, pictures of its memory accesses and a
 * page of its own. SPDX-License-Identifier: MIT */
#ifndef CLI_KERNEL_CHAPTERS_H
#define CLI_KERNEL_CHAPTERS_H

#include "records/kernel.h"
#include "explain/explain.h"
#include "report/chapter.h"

struct gr_kernel_chapters {
    struct gr_chapters chapters; /* in the order in which kernels were added */
    const char *directory;       /* of the report */
    enum gradus_status status;   /* the first failure to write a page */
    struct gradus_error error;
};

void gr_kernel_chapters_open(struct gr_kernel_chapters *made, const char *directory);
void gr_kernel_chapters_close(struct gr_kernel_chapters *made);
/* Adds a kernel. `kernel_dir` is the folder that its rungs were loaded from; null: the binary. */
void gr_kernel_chapters_add(struct gr_kernel_chapters *made, const struct gr_kernel *kernel,
                            const char *kernel_dir);
/* For a row of an earlier run: links the page of its kernel, if that run left it in this report's
 * folder. */
void gr_kernel_chapters_keep(struct gr_kernel_chapters *made, const struct gr_row *row);
/* Draws the pictures of the chapter, and writes the kernel's page into a folder with its name. If
 * there are several sizes, the last one is drawn. */
void gr_kernel_chapters_explain(struct gr_kernel_chapters *made, const struct gr_explain *ask,
                                const struct gr_explained *explained);

#endif
