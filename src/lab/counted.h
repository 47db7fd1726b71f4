/* counted.h: what a simulated row has in place of times. SPDX-License-Identifier: MIT */
#ifndef LAB_COUNTED_H
#define LAB_COUNTED_H

#include "lab/session.h"

/* Traces the variant at the row's problem for at most two seconds, and puts what was counted, and the faults that were
 * seen, into the row. What cannot be counted is a note; an error is Gradus's own (or INTERRUPTED). */
enum gradus_status gr_counted_row(struct gr_session *session, const struct gr_variant *variant,
                                  struct gr_row *row, struct gradus_error *error);

/* Of a row that was timed on a GPU: only the bytes that it moves at each level, for the roofline. They stay unknown where it
 * cannot be simulated or the GPU is not described. */
enum gradus_status gr_counted_traffic(struct gr_session *session, const struct gr_variant *variant,
                                      struct gr_row *row, struct gradus_error *error);

#endif
