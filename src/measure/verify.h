/* verify.h: is this kernel right, here and elsewhere? SPDX-License-Identifier: MIT */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/trial.h"

/* Verifies an entrant at the shape of session->pairs[0] (gr_session_pairs comes first), by the
 * rules of docs/verifying.md: alpha 1.5 and beta 0.5, alpha -2 and beta 0 with padded rows, and
 * alpha 1 and beta 0 with a C full of NaN decide (what reads that C has the finding "reads C", and
 * is wrong where it is a built-in rung, or when strict); then all other alphas and betas, some of
 * them at smaller shapes. A kernel without alpha and beta is judged by 1 and 0. outcome->ns is the
 * time of the longest product. */
enum gradus_status gr_verify(struct gr_session *session, const struct gr_entrant *entrant,
                             struct gr_outcome *outcome, struct gradus_error *error);

/* Runs the entrant on other shapes (measure/probe_shapes.h). A built-in rung must be right at each
 * that it does not refuse, or `outcome` becomes wrong. Another kernel becomes so where no `require`
 * of multiples keeps it from the shapes at which it is wrong; where one does, it is in the finding
 * SHAPE, to be pasted. */
enum gradus_status gr_verify_shapes(struct gr_session *session, const struct gr_entrant *entrant,
                                    struct gr_outcome *outcome, struct gradus_error *error);

#endif
