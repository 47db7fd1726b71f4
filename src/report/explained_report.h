/* explained_report.h: writes the folder of `gradus explain --report DIR`.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_REPORT_H
#define REPORT_EXPLAINED_REPORT_H

#include "catalog/variant.h"
#include "report/explained.h"

/* A kernel and its explanation. It owns none of its members. */
struct gr_explained_kernel {
    struct gr_explained_head head;
    const struct gr_variant *variant;
    const struct gr_explained *explained;
};

/* Writes the page, its pictures, and the explanation as JSON and Markdown. `site`, for example "24"
 * or "24:19", is the line and column of the access that is drawn; null: the worst one. Returns
 * INVALID if the kernel has no such access. */
enum gradus_status gr_explained_report(const char *directory, const char *site,
                                       const struct gr_explained_kernel *kernel,
                                       struct gradus_error *error);
/* The same for the worst accesses. *figures, which must be empty, receives the page's pictures, to
 * be freed by the caller. */
enum gradus_status gr_explained_report_with(const char *directory,
                                            const struct gr_explained_kernel *kernel,
                                            struct gr_page_figures *figures,
                                            struct gradus_error *error);
/* The same for two kernels, with one problem and device: a page that compares them, and the page of
 * each in a subfolder. `site` is an access of the first kernel. */
enum gradus_status gr_explained_report_pair(const char *directory, const char *site,
                                            const struct gr_explained_kernel kernels[2],
                                            struct gradus_error *error);

#endif
