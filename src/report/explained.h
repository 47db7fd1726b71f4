/* explained.h: explained kernels, rendered. One file a format. SPDX-License-Identifier: MIT */
#ifndef REPORT_EXPLAINED_H
#define REPORT_EXPLAINED_H

#include "base/str.h"
#include "explain/explain.h"
#include "report/explain_pair.h"
#include "report/report.h"

/* The head of an explanation. Nothing is owned. */
struct gr_explained_head {
    const struct gr_kernel *kernel;
    const struct gr_problem *problem;
    const struct gr_device *device;
    const char *arch;
    const char *why;     /* this device */
    const char *params;  /* "BM=64 BN=32"; "" without */
    const char *command; /* reproduces it */
};

/* One kernel or several, as struct gr_format has it: for a terminal, for Markdown with the facts as
 * tables, for programs (docs/json.md), and the facts as CSV. */
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
/* One kernel as a JSON object, without a line end after it. */
void gr_explanation_json(const struct gr_explained_head *head, const struct gr_explained *e,
                         struct gr_str *out);
/* One kernel for Markdown. */
void gr_explanation_md(const struct gr_explained_head *head, const struct gr_explained *e,
                       struct gr_str *out);

/* What two kernels for one problem and device ask for, line by line: at most GR_COMPARED lines, of
 * which there are as many as either has something to say of. Returns their number. */
enum { GR_COMPARED = 40 };
int gr_explanation_compare(const struct gr_explained_head heads[2],
                           const struct gr_explained *const both[2], struct gr_pair_row *rows);
/* Appends the problem, the device, and of each kernel its title and what the counts are worth: a
 * line each. */
void gr_explanation_against_circumstances(const struct gr_explained_head heads[2],
                                          const struct gr_explained *const both[2],
                                          struct gr_str *out);
/* The same on a terminal, with what only one of them has. */
void gr_explanation_against(const struct gr_explained_head heads[2],
                            const struct gr_explained *const both[2], const struct gr_style *style,
                            struct gr_str *out);

/* A finding in a line, with its counts. */
void gr_explanation_finding(const struct gr_finding *finding, struct gr_str *out);

/* "faults", "warnings", "advice" or "clean", by the worst finding; null where nothing was found,
 * but nothing was simulated either. */
const char *gr_explained_verdict(const struct gr_explained *e);
/* The stanza that multiplies, of several the one that is launched. */
int gr_explained_stanza(const struct gr_explained_head *head, const struct gr_explained *e);
/* A fact of a stanza, or null. */
const struct gr_fact *gr_explained_fact(const struct gr_explained_head *head,
                                        const struct gr_explained *e, int stanza, const char *key);

/* "Problem: 1024, f32, nn." of a GEMM; "Problem: N=1024 M=512, f32." of other kernels. */
void gr_explained_problem(const struct gr_explained_head *head, struct gr_str *out);
/* "07_tile2d: 2D block tiling" and the lines below it, for people: a paragraph each. */
void gr_explanation_headline(const struct gr_explained_head *head, struct gr_str *out);
void gr_explanation_circumstances(const struct gr_explained_head *head,
                                  const struct gr_explained *e, struct gr_str *out);

#endif
