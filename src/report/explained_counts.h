/* explained_counts.h: the counts in an explanation's JSON: resources, intensities, traffic,
 * requests, accesses. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_COUNTS_H
#define REPORT_EXPLAINED_COUNTS_H

#include "report/explained.h"

/* Appends the counts as members of the object that is being written, each after a comma. */
void gr_explained_counts_json(const struct gr_explained_head *head, const struct gr_explained *e,
                              struct gr_str *out);
/* Appends the members "sites" and "arrays". */
void gr_explained_sites_json(const struct gr_explained_head *head, const struct gr_explained *e,
                             struct gr_str *out);

/* Appends the counts of the instructions that the stanza executed as the member "executed"; null if
 * no machine code was executed. */
void gr_explained_executed_json(const struct gr_explained *e, int stanza, const char *indent,
                                struct gr_str *out);
/* Appends a list of all instructions of the machine code. */
void gr_explained_instructions_json(const struct gr_explained_head *head,
                                    const struct gr_explained *e, struct gr_str *out);

#endif
