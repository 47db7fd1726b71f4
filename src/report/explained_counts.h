/* explained_counts.h: the parts of an explanation's JSON that are counts: resources, intensities,
 * traffic, requests, sites. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_COUNTS_H
#define REPORT_EXPLAINED_COUNTS_H

#include "report/explained.h"

/* Appends them as members of the object that is being written, each after a comma. */
void gr_explained_counts_json(const struct gr_explained_head *head, const struct gr_explained *e,
                              struct gr_str *out);
/* "sites" and "arrays". */
void gr_explained_sites_json(const struct gr_explained_head *head, const struct gr_explained *e,
                             struct gr_str *out);

/* What the stanza executed, as the member "executed"; null where no machine code was. */
void gr_explained_executed_json(const struct gr_explained *e, int stanza, const char *indent,
                                struct gr_str *out);
/* Each instruction of the machine code. */
void gr_explained_instructions_json(const struct gr_explained_head *head,
                                    const struct gr_explained *e, struct gr_str *out);

#endif
