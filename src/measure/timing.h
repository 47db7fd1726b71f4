/* timing.h: times a GEMM of one candidate, interleaved with peers, so that changes of the clock
 * and other load on the machine affect all of them alike. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TIMING_H
#define MEASURE_TIMING_H

#include "measure/trial.h"

struct gr_timing {
    bool cold;
    struct gr_stat time_ns; /* of the candidate, for one GEMM */
    struct {
        struct gr_stat time_ns; /* n 0: not timed */
        /* The peer's time divided by the candidate's, from adjacent samples. */
        struct gr_ratio speedup;
    } peers[GR_MAX_PEERS];
    /* The share of its rounds that were disturbed (records/steady.h); negative: unknown. */
    double disturbed;
    double fma_gflops; /* of the fastest FMA burst between its samples */
};

/* Times a candidate that has been verified, at the shape of session->pairs[0], interleaved P Q A
 * P Q A with `peer_count` peers (0: alone), in three bursts. Between bursts every operand set
 * gets other inputs. After each burst the candidate's last C is checked: if it is wrong, or the
 * worker died, `outcome` says so and there is no time. If one GEMM takes long, peers that are
 * far slower than the fastest are left out. */
enum gradus_status gr_time(struct gr_session *session, const struct gr_entrant *entrant,
                           const struct gr_entrant *peers, int peer_count, int64_t budget_ns,
                           struct gr_timing *timing, struct gr_outcome *outcome,
                           struct gradus_error *error);

/* Times one GEMM on operands of that shape without checking it, to choose a size. The operands
 * are small random numbers; the session's pairs are not used. */
enum gradus_status gr_time_once(struct gr_session *session, const struct gr_entrant *entrant,
                                const struct gr_problem *problem, int64_t *ns,
                                struct gr_outcome *outcome, struct gradus_error *error);

#endif
