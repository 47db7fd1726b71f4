/* explained.h: renders explained kernels. Each format is one file. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_H
#define REPORT_EXPLAINED_H

#include "base/str.h"
#include "explain/amounts.h"
#include "explain/explain.h"
#include "report/explain_pair.h"
#include "report/report.h"

/* The head of an explanation, which owns none of its members. */
struct gr_explained_head {
    const struct gr_kernel *kernel;
    const struct gr_problem *problem;
    const struct gr_device *device;
    const char *arch;
    const char *why;     /* this device */
    const char *params;  /* for example "BM=64 BN=32", or "" */
    const char *command; /* the command that reproduces it */
};

/* Render one or several kernels, as struct gr_format requires: for a terminal; in Markdown with the
 * facts as tables; for programs (docs/json.md); and the facts as CSV. */
void gr_explained_table(const struct gr_explained_head *heads,
                        const struct gr_explained *const *explained, int count,
                        const struct gr_style *style, struct gr_str *out);
void gr_explained_md(const struct gr_explained_head *heads,
                     const struct gr_explained *const *explained, int count,
                     const struct gr_style *style, struct gr_str *out);
void gr_explained_json(const struct gr_explained_head *heads,
                       const struct gr_explained *const *explained, int count,
                       const struct gr_style *style, struct gr_str *out);
void gr_explained_csv(const struct gr_explained_head *heads,
                      const struct gr_explained *const *explained, int count,
                      const struct gr_style *style, struct gr_str *out);
/* Renders one kernel as a JSON object, without a line end. */
void gr_explanation_json(const struct gr_explained_head *head, const struct gr_explained *e,
                         struct gr_str *out);
/* Renders one kernel in Markdown. */
void gr_explanation_md(const struct gr_explained_head *head, const struct gr_explained *e,
                       struct gr_str *out);

/* Compares the costs of two kernels for one problem and device line by line. Lines about which
 * nothing is known of either kernel are left out. Returns the number of lines, at most
 * GR_COMPARED. */
enum { GR_COMPARED = 40 };
int gr_explanation_compare(const struct gr_explained_head heads[2],
                           const struct gr_explained *const both[2], struct gr_pair_row *rows);
/* Appends one line for the problem, one for the device, and for each kernel lines with its title
 * and with the accuracy of the counts. */
void gr_explanation_against_circumstances(const struct gr_explained_head heads[2],
                                          const struct gr_explained *const both[2],
                                          struct gr_str *out);
/* Renders the comparison for a terminal, with the findings that only one kernel has. */
void gr_explanation_against(const struct gr_explained_head heads[2],
                            const struct gr_explained *const both[2], const struct gr_style *style,
                            struct gr_str *out);

/* A number in words, such as "4", "0.25" or "67.1M". */
struct gr_amount gr_explanation_number(double value);
/* Appends a finding with its counts in one line. */
void gr_explanation_finding(const struct gr_finding *finding, struct gr_str *out);

/* Returns "faults", "warnings", "advice" or "clean", by the worst finding. Returns null if nothing
 * was found and nothing was simulated. */
const char *gr_explained_verdict(const struct gr_explained *e);
/* Returns the index of the stanza that multiplies; if there are several, the one that is
 * launched. */
int gr_explained_stanza(const struct gr_explained_head *head, const struct gr_explained *e);
/* Returns a fact of a stanza, or null. */
const struct gr_fact *gr_explained_fact(const struct gr_explained_head *head,
                                        const struct gr_explained *e, int stanza, const char *key);

/* Appends "Problem: 1024, f32, nn." for a GEMM, or for example "Problem: N=1024 M=512, f32." for
 * another kernel. */
void gr_explained_problem(const struct gr_explained_head *head, struct gr_str *out);
/* Append a headline such as "07_tile2d: 2D block tiling" and the paragraphs below it. */
void gr_explanation_headline(const struct gr_explained_head *head, struct gr_str *out);
void gr_explanation_circumstances(const struct gr_explained_head *head,
                                  const struct gr_explained *e, struct gr_str *out);

#endif
