/* tune.h: finds the fastest values of a kernel's parameters for one problem. Candidates that cannot
 * be the fastest are left out without being run. The others are verified and raced, and the fastest
 * of these are raced again in new processes. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNE_H
#define MEASURE_TUNE_H

#include "measure/race.h"
#include "measure/session.h"

/* The result for a candidate. */
enum gr_tune_fate {
    GR_TUNE_UNTRIED, /* not drawn, or the time limit was reached */
    GR_TUNE_REFUSED, /* pruned: its `require` is false, or the device refuses the launch */
    GR_TUNE_SPILLS,  /* pruned: it spills registers or has arrays in local memory, and other
                        candidates do not */
    GR_TUNE_WRONG,   /* it is wrong, crashes, hangs or does not compile */
    GR_TUNE_READY,   /* verified, but not raced yet */
    GR_TUNE_SLOWER,  /* it was clearly behind, or not fast enough for the final round */
    GR_TUNE_BEHIND,  /* it was slower than the winner in the final round */
    GR_TUNE_TIE,     /* it cannot be distinguished from the winner */
    GR_TUNE_WINNER,
    GR_TUNE_FATES
};

struct gr_tune_candidate {
    struct gr_variant variant;
    struct gr_artifact artifact; /* for candidates that were built */
    enum gr_tune_fate fate;
    enum gr_verdict verdict; /* for a candidate that is wrong */
    char reason[256];        /* why it was refused or is wrong */
    bool is_default;
    struct gr_race_place place; /* in the final round or, without one, in the race */
    struct gr_row row;          /* on a simulated GPU: the counts */
    double model_ns;            /* on a simulated GPU: see gr_tune_run */
    double model_first; /* among candidates with the same model_ns, the one with the least of this
                           is first */
};

struct gr_tune {
    struct gr_problem problem; /* as it was requested (gr_kernel_shown) */
    bool cold;
    bool simulated; /* ranked by a model; nothing was timed */
    /* Ranked by the measurements up to then: by the race only, if there was no final round. */
    bool interrupted;
    int64_t combinations; /* of all permitted values, before anything is left out */
    int64_t refused;      /* those that `require` excludes, before anything is built */
    char refusal[256];    /* the reason for the first of these */
    int64_t drawn; /* the others that are candidates; all of them, unless there are too many */
    struct gr_tune_candidate *candidates; /* the first is the default */
    int count;
    int fates[GR_TUNE_FATES];
    int race_rounds, final_rounds, final_processes;
    double disturbed; /* the share of the disturbed rounds in the final; negative: unknown */
    int winner;       /* -1: none */
    int chosen;       /* the default if it ties with the winner, else the winner; -1: none */
};

struct gr_tune_params {
    const struct gr_variant *base; /* types, transposes, and the values of the fixed parameters */
    const bool *fixed;             /* for each parameter: it keeps its value in `base` */
    struct gr_problem problem;
    int64_t limit_ns; /* half of it is for building and verifying, the rest for racing */
};

/* Is there more than one combination of the values of the parameters that are not fixed? */
bool gr_tune_has_choice(const struct gr_variant *base, const bool *fixed);

/* Tunes one kernel for one problem. On a simulated GPU nothing is timed: each candidate is verified
 * and counted, and ranked by model_ns, which is no measurement: the largest of the times that its
 * arithmetic, its bytes at each level of memory, and the wavefronts of shared memory take at the
 * device's rates. INTERRUPTED: `tune` has the results so far. To be freed in any case. */
enum gradus_status gr_tune_run(struct gr_session *session, const struct gr_tune_params *params,
                               struct gr_tune *tune, struct gradus_error *error);
void gr_tune_free(struct gr_session *session, struct gr_tune *tune);

#endif
