/* verify.h: is this kernel right, here and elsewhere? SPDX-License-Identifier: MIT */
#ifndef LAB_VERIFY_H
#define LAB_VERIFY_H

#include "lab/trial.h"

/* Verifies an entrant at the shape of session->pairs[0] (gr_session_pairs comes first), by the
 * rules of docs/verifying.md: alpha 1.5, beta 0.5 and alpha 1, beta 0 decide; a C full of NaN at
 * beta 0 gives the finding "reads C" (wrong for a built-in rung, or when strict). A kernel without
 * alpha and beta is judged by the latter two. outcome->ns is the time of the longest product. */
enum gradus_status gr_verify(struct gr_session *session, const struct gr_entrant *entrant,
                             struct gr_outcome *outcome, struct gradus_error *error);

/* Runs the entrant on small shapes: one, primes, round its tiles, padded leading dimensions. A
 * built-in rung must be right at each that it does not refuse, or `outcome` becomes wrong; for a
 * user's kernel what fails becomes the finding SHAPE, with the `require` line to paste where one
 * can be found. */
enum gradus_status gr_verify_shapes(struct gr_session *session, const struct gr_entrant *entrant,
                                    struct gr_outcome *outcome, struct gradus_error *error);

#endif
