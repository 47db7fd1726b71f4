/* explained_report.h: gradus explain --report DIR. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_REPORT_H
#define REPORT_EXPLAINED_REPORT_H

#include "catalog/variant.h"
#include "report/explained.h"

/* A kernel and all that was found out of it. Nothing is owned. */
struct gr_explained_kernel {
    struct gr_explained_head head;
    const struct gr_variant *variant;
    const struct gr_explained *explained;
};

/* Writes the page, its pictures, and the explanation as JSON and Markdown. `site`, "24" or "24:19",
 * is the place that is drawn; null: the worst. INVALID for a site that is no place of the kernel.
 */
enum gradus_status gr_explained_report(const char *directory, const char *site,
                                       const struct gr_explained_kernel *kernel,
                                       struct gradus_error *error);
/* The same, of the worst places; in *figures, which is empty, the page's pictures, to be freed. */
enum gradus_status gr_explained_report_with(const char *directory,
                                            const struct gr_explained_kernel *kernel,
                                            struct gr_page_figures *figures,
                                            struct gradus_error *error);
/* The same of two, for one problem and device: a page with both, and the page of each in a folder
 * below it. `site` is a place of the first. */
enum gradus_status gr_explained_report_pair(const char *directory, const char *site,
                                            const struct gr_explained_kernel kernels[2],
                                            struct gradus_error *error);

#endif
