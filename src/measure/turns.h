/* turns.h: times several kernels in turns in one worker. A round has one sample of each, on
 * rotating operand sets. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TURNS_H
#define MEASURE_TURNS_H

#include "measure/sample_bursts.h"
#include "measure/timing.h"

/* Kernel 0 of the worker is reserved for trials. */
enum { GR_MAX_TURNS = GR_MAX_KERNELS - 1 };

struct gr_turns {
    struct gr_session *session;
    struct gr_timing_params params;
    struct gr_bursts bursts;
    struct gr_candidate candidates[GR_MAX_TURNS]; /* each must have been verified */
    int count;
    bool gone[GR_MAX_TURNS]; /* it is not loaded into a new worker */
    int times[GR_MAX_TURNS];
    bool warmed[GR_MAX_TURNS];
    bool ready; /* the worker has the kernels and the operands */
    int filled; /* the number of bursts since the operands were filled */
    int turn;
    double slowest_ns;
    int disturbed, rounds; /* see records/steady.h; disturbed is negative if it is unknown */
};

/* The result of a burst of rounds. */
struct gr_turns_result {
    int rounds;                /* the number of valid rounds: all that were requested, or none */
    int blamed;                /* a candidate that was wrong or killed the worker; -1: none */
    struct gr_outcome outcome; /* for the blamed candidate; to be freed with gr_outcome_free */
};

/* The session's pairs must be those of the problem. Each candidate needs a slot of its own. */
void gr_turns_open(struct gr_session *session, const struct gr_candidate *candidates, int count,
                   struct gr_turns *turns);

/* Samples the candidates of `order` one after another, `rounds` times, and checks the last C. The
 * samples of order[i] are in ns[i * GR_MAX_SAMPLES + round]. The first call in a worker also warms
 * up, and determines how many products make a sample. If a candidate is blamed, no sample is valid,
 * and the candidate must not be in a later order. */
enum gradus_status gr_turns_take(struct gr_turns *turns, const int *order, int count, int rounds,
                                 const double **ns, struct gr_turns_result *result,
                                 struct gradus_error *error);

/* Replaces the worker by a new process. */
void gr_turns_renew(struct gr_turns *turns);

#endif
