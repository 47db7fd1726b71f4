/* timing.h: how long one product takes, beside a peer. SPDX-License-Identifier: MIT */
#ifndef LAB_TIMING_H
#define LAB_TIMING_H

#include "lab/trial.h"

struct gr_timing {
    bool cold;
    struct gr_stat time_ns;      /* of the entrant, one product */
    struct gr_stat peer_time_ns; /* n 0 without a peer */
    struct gr_ratio speedup;     /* peer's time over the entrant's, of neighbouring samples */
    double fma_gflops;           /* the fastest of the bursts of FMAs between its samples */
};

/* Times an entrant (verified before) at the shape of session->pairs[0], interleaved A B A B with
 * `peer` (null: alone), in three bursts. Between bursts every operand set gets other inputs; after
 * each, the entrant's last C is checked: what is wrong there is in `outcome`, as is the death of
 * the worker, and there is no time then. */
enum gradus_status gr_time(struct gr_session *session, const struct gr_entrant *entrant,
                           const struct gr_entrant *peer, int64_t budget_ns,
                           struct gr_timing *timing, struct gr_outcome *outcome,
                           struct gradus_error *error);

/* One product, unchecked: how long it takes on operands of that shape, for choosing a size that
 * fits. The session's pairs are not used; the operands are small random numbers. */
enum gradus_status gr_time_once(struct gr_session *session, const struct gr_entrant *entrant,
                                const struct gr_problem *problem, int64_t *ns,
                                struct gr_outcome *outcome, struct gradus_error *error);

#endif
