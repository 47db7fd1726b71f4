/* expect.h: checks the claims in a kernel's `expect` lines, so that a wrong claim in a kernel
 * file does not go unnoticed. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPECT_H
#define EXPLAIN_EXPECT_H

#include "catalog/variant.h"
#include "records/explanation.h"

/* Evaluates each `expect` expression with the facts of the explanation and appends the result.
 * In a kernel of several stanzas, a name without a stanza prefix is checked for each of them. */
enum gradus_status gr_expect_judge(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values, const char *arch,
                                   struct gr_explanation *explanation, struct gradus_error *error);

#endif
