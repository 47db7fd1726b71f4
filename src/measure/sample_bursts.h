/* sample_bursts.h: bursts of samples of a session, for any candidates that take turns: rotating
 * operands, changing inputs, and the check of the results. SPDX-License-Identifier: MIT */
#ifndef MEASURE_SAMPLE_BURSTS_H
#define MEASURE_SAMPLE_BURSTS_H

#include "base/rng.h"
#include "measure/trial.h"

struct gr_bursts {
    struct gr_problem problem; /* alpha 1 and beta 0 */
    struct gr_request request; /* GR_OP_TIME; the caller sets candidates, times and samples */
    int64_t limit_ns;          /* a burst that takes longer is stopped: the kernel hangs */
    struct gr_rng rng;         /* for choices that a kernel must not be able to predict */
};

/* Are operands of this shape timed cold, by the session's options? */
bool gr_bursts_cold(const struct gr_session *session, const struct gr_problem *problem);
/* The number of operand sets in a rotation, for all callers together. */
int gr_bursts_sets(const struct gr_session *session, const struct gr_problem *problem, bool cold);

/* Begins with a request without candidates. */
void gr_bursts_begin(const struct gr_session *session, const struct gr_problem *problem,
                     int64_t limit_ns, struct gr_bursts *bursts);
/* Sizes the arena for one set of operands and the snapshot, and plans the rotation. */
enum gradus_status gr_bursts_lay_out(struct gr_session *session, struct gr_bursts *bursts, int sets,
                                     struct gradus_error *error);
/* Plans how inputs change between products. The session must have the pairs of the problem. */
void gr_bursts_plan_touches(const struct gr_session *session, struct gr_bursts *bursts);
/* Fills the worker's sets with the session's pairs. In each of three turns the sets get other
 * inputs. */
enum gradus_status gr_bursts_fill(struct gr_session *session, struct gr_bursts *bursts, int turn,
                                  struct gradus_error *error);
/* Requests one burst. *alive is false if a kernel killed the worker. */
enum gradus_status gr_bursts_ask(struct gr_session *session, struct gr_bursts *bursts,
                                 struct gr_reply *reply, bool *alive, struct gr_outcome *outcome,
                                 struct gradus_error *error);
/* Checks the C that a burst has kept against the reference for the inputs that its set had by then.
 */
enum gradus_status gr_bursts_check_last(struct gr_session *session, const struct gr_bursts *bursts,
                                        const struct gr_reply *reply, int turn,
                                        struct gr_outcome *outcome, struct gradus_error *error);

#endif
