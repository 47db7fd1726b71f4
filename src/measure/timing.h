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

/* How something is timed: all that a figure depends on besides the kernel and the machine. Start
 * with gr_timing_params_of. */
struct gr_timing_params {
    const struct gr_candidate *candidate; /* verified before */
    const struct gr_candidate *peers;     /* timed in turns with it; not owned */
    int peer_count;                       /* 0: alone */
    int64_t budget_ns; /* for all samples together; a long product may take more */
    int64_t limit_ns;  /* a burst that takes longer is stopped: the kernel hangs */
    bool
        cold; /* operands rotate through twice the last-level cache; else they stay in the caches */
    int64_t shortest_sample_ns; /* a sample that would be shorter is several products, so that
                                   neither the cost of the clock shows nor that of waking threads */
    int64_t warm_up_ns;         /* not counted: the clock and the caches settle within it */
    int64_t long_product_ns;    /* before a sample of shorter products one goes untimed, where what
                                   the other library left in the caches would show */
    int64_t long_round_ns;      /* where one product of each takes longer, a burst is as few samples
                                   as an interval allows, and of several peers slow ones leave */
    double far_behind;          /* a peer is slow that takes so many times as long as the fastest */
};

/* As the session's options have it, at the shape of its pairs, without peers. */
struct gr_timing_params gr_timing_params_of(const struct gr_session *session,
                                            const struct gr_candidate *candidate);

/* For a candidate whose product takes about `ns`: how many products make a sample, and whether an
 * untimed one precedes it. */
void gr_timing_calibrate(const struct gr_session *session, const struct gr_timing_params *params,
                         double ns, int *times, bool *warmed);

/* Times the candidate at the shape of session->pairs[0], interleaved P Q A P Q A with the peers, in
 * three bursts. Between bursts every operand set gets other inputs; after each, the candidate's
 * last C is checked: what is wrong there is in `outcome`, as is the death of the worker, and there
 * is no time then. */
enum gradus_status gr_time(struct gr_session *session, const struct gr_timing_params *params,
                           struct gr_timing *timing, struct gr_outcome *outcome,
                           struct gradus_error *error);

/* Times one GEMM on operands of that shape without checking it, to choose a size. The operands
 * are small random numbers; the session's pairs are not used. */
enum gradus_status gr_time_once(struct gr_session *session, const struct gr_candidate *candidate,
                                const struct gr_problem *problem, int64_t *ns,
                                struct gr_outcome *outcome, struct gradus_error *error);

#endif
