/* tune.h: finds the fastest values of a kernel's parameters for one problem: what cannot be the
 * fastest is left out without running it, the rest is verified and raced, and those that lead are
 * raced again in new processes. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TUNE_H
#define MEASURE_TUNE_H

#include "measure/race.h"
#include "measure/session.h"

/* What became of a candidate. */
enum gr_tune_fate {
    GR_TUNE_UNTRIED, /* the time limit came before, or it was not drawn */
    GR_TUNE_REFUSED, /* pruned: its `require` is false, or the device refuses the launch */
    GR_TUNE_SPILLS,  /* pruned: it spills registers, or has arrays in local memory, and others of
                        the kernel's candidates do not */
    GR_TUNE_WRONG,   /* it is wrong, crashes, hangs or does not compile */
    GR_TUNE_READY,   /* verified, and not raced yet */
    GR_TUNE_SLOWER,  /* it was clearly behind, or not among those that went to the final */
    GR_TUNE_BEHIND,  /* it is slower than the winner in the final */
    GR_TUNE_TIE,     /* it is not told from the winner */
    GR_TUNE_WINNER,
    GR_TUNE_FATES
};

struct gr_tune_candidate {
    struct gr_variant variant;
    struct gr_artifact artifact; /* of those that were built */
    enum gr_tune_fate fate;
    enum gr_verdict verdict; /* of one that is wrong */
    char reason[256];        /* why it was refused or is wrong */
    bool is_default;
    struct gr_race_place place; /* in the final; or if there was none, in the race */
    struct gr_row row;          /* of a simulated GPU: what was counted */
    double model_ns;            /* of a simulated GPU: see gr_tune_run */
    double model_first;         /* of equals in that the one with the least of this is ahead */
};

struct gr_tune {
    struct gr_problem problem;
    bool cold;
    bool simulated; /* ranked by a model; nothing was timed */
    /* Ranked by what was measured until then: by the race alone if there was no round of the final.
     */
    bool interrupted;
    int64_t combinations; /* of all allowed values, before anything is left out */
    int64_t refused;      /* of those: by `require`, before anything was built */
    char refusal[256];    /* the first of these reasons */
    int64_t drawn;        /* of the others: how many are candidates; all, unless too many */
    struct gr_tune_candidate *candidates; /* the default is the first */
    int count;
    int fates[GR_TUNE_FATES];
    int race_rounds, final_rounds, final_processes;
    double disturbed; /* the share of the final's rounds; negative: unknown */
    int winner;       /* -1: none */
    int chosen;       /* the default where it ties with the winner, else the winner; -1: none */
};

struct gr_tune_params {
    const struct gr_variant *base; /* types, transposes, and the values of the fixed parameters */
    const bool *fixed;             /* by parameter: it keeps its value in `base` */
    struct gr_problem problem;
    int64_t limit_ns; /* half of it for building and verifying, the rest for racing */
};

/* Is there more than one combination of the values of the parameters that are not fixed? */
bool gr_tune_has_choice(const struct gr_variant *base, const bool *fixed);

/* Tunes one kernel for one problem. On a simulated GPU nothing is timed: each candidate is verified
 * and counted, and ranked by the largest of the times that its arithmetic, its bytes at each level
 * of memory, and the wavefronts of shared memory take at the device's rates (model_ns), which is no
 * measurement. INTERRUPTED: `tune` has what was measured. Free it in any case. */
enum gradus_status gr_tune_run(struct gr_session *session, const struct gr_tune_params *params,
                               struct gr_tune *tune, struct gradus_error *error);
void gr_tune_free(struct gr_session *session, struct gr_tune *tune);

#endif
