/* expect.h: judging what a kernel's file claims. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPECT_H
#define EXPLAIN_EXPECT_H

#include "catalog/variant.h"
#include "records/explanation.h"

/* Judges each `expect` expression by the facts of the explanation, and appends what came of it. A
 * name without a stanza before it, in a kernel of several, is meant of each of them. */
enum gradus_status gr_expect_judge(const struct gr_variant *variant,
                                   const struct gr_problem *problem, const struct gr_givens *givens,
                                   const char *arch, struct gr_explanation *explanation,
                                   struct gradus_error *error);

#endif
