/* verify.h: verifies that a kernel is correct, at the requested shape and at others. Only a
 * kernel that passes is timed. SPDX-License-Identifier: MIT */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/trial.h"

/* Verifies a candidate at the shape of session->pairs[0] (call gr_session_pairs before), by the
 * rules of docs/verifying.md. First with alpha 1.5 and beta 0.5, with alpha -2 and beta 0 and
 * padded rows, and with alpha 1 and beta 0 and a C full of NaN. (A kernel that reads that C has
 * the finding "reads C", and is wrong if it is built-in or if verification is strict.) Then with
 * all other pairs of alpha and beta, some of them at smaller shapes. A kernel without alpha and
 * beta is checked with 1 and 0. outcome->ns is the time of the longest GEMM. */
enum gradus_status gr_verify(struct gr_session *session, const struct gr_candidate *candidate,
                             struct gr_outcome *outcome, struct gradus_error *error);

/* Runs the candidate at other shapes (measure/probe_shapes.h). A built-in kernel must be correct
 * at each that it does not refuse. Another kernel is wrong if no `require` with multiples
 * excludes the shapes at which it fails; if there is such a line, the finding SHAPE has it,
 * ready to be pasted. */
enum gradus_status gr_verify_shapes(struct gr_session *session,
                                    const struct gr_candidate *candidate,
                                    struct gr_outcome *outcome, struct gradus_error *error);

#endif
