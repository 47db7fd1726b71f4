/* turns.h: times several kernels in turns in one worker: a round has one sample of each, on operand
 * sets in rotation. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TURNS_H
#define MEASURE_TURNS_H

#include "measure/sample_bursts.h"
#include "measure/timing.h"

/* Kernel 0 of the worker is the one that trials run. */
enum { GR_MAX_TURNS = GR_MAX_KERNELS - 1 };

struct gr_turns {
    struct gr_session *session;
    struct gr_timing_params params;
    struct gr_bursts bursts;
    struct gr_candidate candidates[GR_MAX_TURNS]; /* each was verified */
    int count;
    bool gone[GR_MAX_TURNS]; /* it is not loaded into another worker */
    int times[GR_MAX_TURNS];
    bool warmed[GR_MAX_TURNS];
    bool ready; /* the worker has the kernels and the operands */
    int filled; /* bursts since the operands were filled */
    int turn;
    double slowest_ns;
    int disturbed, rounds; /* records/steady.h; disturbed is negative where it is unknown */
};

/* What a burst of rounds came to. */
struct gr_turns_result {
    int rounds;                /* that count: those asked for, or none */
    int blamed;                /* a candidate that was wrong, or that killed the worker; -1: none */
    struct gr_outcome outcome; /* of that one; free it with gr_outcome_free */
};

/* The session's pairs are those of the problem. `candidates` keep their slots to themselves. */
void gr_turns_open(struct gr_session *session, const struct gr_candidate *candidates, int count,
                   struct gr_turns *turns);

/* Samples the candidates of `order` one after another, `rounds` times, and checks the last C. The
 * samples are in ns[i * GR_MAX_SAMPLES + round] for order[i]. The first call in a worker also warms
 * up, and finds out how many products a sample takes. If a candidate is blamed, no sample counts,
 * and it must not be in any later order. */
enum gradus_status gr_turns_take(struct gr_turns *turns, const int *order, int count, int rounds,
                                 const double **ns, struct gr_turns_result *result,
                                 struct gradus_error *error);

/* From here on another worker process computes. */
void gr_turns_renew(struct gr_turns *turns);

#endif
