/* timing.h: how long one product takes, beside a peer. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TIMING_H
#define MEASURE_TIMING_H

#include "measure/trial.h"

struct gr_timing {
    bool cold;
    struct gr_stat time_ns; /* of the entrant, one product */
    struct {
        struct gr_stat time_ns;  /* n 0: not timed */
        struct gr_ratio speedup; /* its time over the entrant's, of neighbouring samples */
    } peers[GR_MAX_PEERS];
    double
        disturbed; /* the share of its rounds that were (records/steady.h); negative: not known */
    double fma_gflops; /* the fastest of the bursts of FMAs between its samples */
};

/* Times an entrant (verified before) at the shape of session->pairs[0], interleaved P Q A P Q A
 * with `peer_count` peers (0: alone), in three bursts. Between bursts every operand set gets other
 * inputs; after each, the entrant's last C is checked: what is wrong there is in `outcome`, as is
 * the death of the worker, and there is no time then. Where a product takes long, peers of several
 * that are far behind the fastest are left out. */
enum gradus_status gr_time(struct gr_session *session, const struct gr_entrant *entrant,
                           const struct gr_entrant *peers, int peer_count, int64_t budget_ns,
                           struct gr_timing *timing, struct gr_outcome *outcome,
                           struct gradus_error *error);

/* One product, unchecked: how long it takes on operands of that shape, for choosing a size that
 * fits. The session's pairs are not used; the operands are small random numbers. */
enum gradus_status gr_time_once(struct gr_session *session, const struct gr_entrant *entrant,
                                const struct gr_problem *problem, int64_t *ns,
                                struct gr_outcome *outcome, struct gradus_error *error);

#endif
