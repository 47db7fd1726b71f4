/* counted.h: what a simulated row has in place of times, and the faults that it is wrong by.
 * SPDX-License-Identifier: MIT */
#ifndef LAB_COUNTED_H
#define LAB_COUNTED_H

#include "lab/session.h"

/* Is a row with that verdict traced? On the simulator, one that is right where it is counted or a
 * stranger's, and one that is wrong. */
bool gr_counted_applies(const struct gr_session *session, const struct gr_entrant *entrant,
                        enum gr_verdict verdict);
/* Traces the variant at the row's problem for at most two seconds, and a stranger's that is right
 * at the edge shapes too, and puts what was counted, and the faults that were seen, into the row. A
 * row that is right and has a fault becomes wrong: it is right by the order in which the simulator
 * runs threads. What cannot be counted is a note; an error is Gradus's own (or INTERRUPTED). */
enum gradus_status gr_counted_row(struct gr_session *session, const struct gr_variant *variant,
                                  struct gr_row *row, struct gradus_error *error);
/* Appends the faults that the simulator sees at `problem`, and nothing where it sees none or cannot
 * look. */
enum gradus_status gr_counted_faults(struct gr_session *session, const struct gr_variant *variant,
                                     const struct gr_problem *problem, struct gr_findings *findings,
                                     struct gradus_error *error);

/* Of a row that was timed on a GPU: only the bytes that it moves at each level, for the roofline.
 * They stay unknown where it cannot be simulated or the GPU is not described. */
enum gradus_status gr_counted_traffic(struct gr_session *session, const struct gr_variant *variant,
                                      struct gr_row *row, struct gradus_error *error);

#endif
