/* explained_report.h: gradus explain --report DIR. SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAINED_REPORT_H
#define CLI_EXPLAINED_REPORT_H

#include "catalog/variant.h"
#include "cli/explained.h"

struct gr_explained_report {
    const char *directory;
    const char *site; /* "24" or "24:19"; null: the worst */
};

/* Writes the page, its pictures, and the explanation as JSON and Markdown. INVALID for a site that is no place of the
 * kernel. */
enum gradus_status gr_explained_report(const struct gr_explained_report *report,
                                       const struct gr_explained_head *head,
                                       const struct gr_variant *variant,
                                       const struct gr_explained *explained,
                                       struct gradus_error *error);

#endif
