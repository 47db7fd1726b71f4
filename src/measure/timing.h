/* timing.h: times a GEMM of one candidate, interleaved with peers, so that changes of the clock
 * and other load on the machine affect all of them alike. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TIMING_H
#define MEASURE_TIMING_H

#include "measure/trial.h"

struct gr_timing {
    bool cold;
    /* Of the candidate, for one GEMM; if the session has several callers, for one of each. */
    struct gr_stat time_ns;
    struct {
        struct gr_stat time_ns; /* n 0: not timed */
        /* The peer's time divided by the candidate's, from adjacent samples. */
        struct gr_ratio speedup;
    } peers[GR_MAX_PEERS];
    /* The share of its rounds that were disturbed (records/steady.h); negative: unknown. */
    double disturbed;
    double fma_gflops; /* of the fastest FMA burst between its samples */
};

/* How a candidate is timed: all that a time depends on besides the kernel and the machine.
 * Initialise with gr_timing_params_of. */
struct gr_timing_params {
    const struct gr_candidate *candidate; /* must have been verified */
    const struct gr_candidate *peers;     /* timed in turns with the candidate; not owned */
    int peer_count;                       /* 0: the candidate is timed alone */
    int64_t budget_ns; /* for all samples together; long products may exceed it */
    int64_t limit_ns;  /* a burst that takes longer is stopped: the kernel hangs */
    bool
        /* Operands rotate through twice the last-level cache. */
        cold;
    int64_t shortest_sample_ns; /* several short products make one sample, so that reading the clock
                                   and waking threads matter little */
    int64_t warm_up_ns; /* the time before the samples, in which the clock and the caches settle */
    int64_t long_product_ns; /* shorter products are preceded by an untimed one, because cached data
                                of the other library would matter */
    int64_t long_round_ns; /* if one product of each takes longer, bursts have the minimal number of
                              samples, and slow peers are dropped */
    double far_behind;     /* a peer is slow if it takes this many times as long as the fastest */
};

/* Returns the parameters by the session's options, at the shape of its pairs, without peers. */
struct gr_timing_params gr_timing_params_of(const struct gr_session *session,
                                            const struct gr_candidate *candidate);

/* For a candidate whose product takes about `ns`: determines how many products make a sample, and
 * whether an untimed one precedes it. */
void gr_timing_calibrate(const struct gr_session *session, const struct gr_timing_params *params,
                         double ns, int *times, bool *warmed);

/* Times the candidate at the shape of session->pairs[0], interleaved P Q A P Q A with the peers, in
 * three bursts. Between bursts every operand set gets other inputs; after each burst, the
 * candidate's last C is checked. If it is wrong or the worker dies, this is reported in `outcome`,
 * and there is no time. */
enum gradus_status gr_time(struct gr_session *session, const struct gr_timing_params *params,
                           struct gr_timing *timing, struct gr_outcome *outcome,
                           struct gradus_error *error);

/* Times one GEMM on operands of that shape without checking it, to choose a size. The operands
 * are small random numbers; the session's pairs are not used. */
enum gradus_status gr_time_once(struct gr_session *session, const struct gr_candidate *candidate,
                                const struct gr_problem *problem, int64_t *ns,
                                struct gr_outcome *outcome, struct gradus_error *error);

#endif
