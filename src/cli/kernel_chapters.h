/* kernel_chapters.h: the chapters of a measuring run's report: a kernel each, with its idea, what
 * it changes in the rung before it, and, where it is simulated, pictures of what it does with
 * memory and a page of its own. SPDX-License-Identifier: MIT */
#ifndef CLI_KERNEL_CHAPTERS_H
#define CLI_KERNEL_CHAPTERS_H

#include "records/kernel.h"
#include "explain/explain.h"
#include "report/chapter.h"

struct gr_kernel_chapters {
    struct gr_chapters chapters; /* in the order in which kernels were added */
    const char *directory;       /* the report's */
    enum gradus_status status;   /* the first page that could not be written */
    struct gradus_error error;
};

void gr_kernel_chapters_open(struct gr_kernel_chapters *made, const char *directory);
void gr_kernel_chapters_close(struct gr_kernel_chapters *made);
/* `kernel_dir`: where its rungs are from; null: the binary. */
void gr_kernel_chapters_add(struct gr_kernel_chapters *made, const struct gr_kernel *kernel,
                            const char *kernel_dir);
/* An earlier run has counted it: its page, where that run left it in this report's folder. */
void gr_kernel_chapters_keep(struct gr_kernel_chapters *made, const struct gr_row *row);
/* Draws it into its chapter, and writes its page into a folder of its name. Of several sizes the
 * last is drawn. */
void gr_kernel_chapters_explain(struct gr_kernel_chapters *made, const struct gr_explain *ask,
                                const struct gr_explained *explained);

#endif
