/* trial.h: one product by one entrant, watched and judged. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TRIAL_H
#define MEASURE_TRIAL_H

#include "measure/session.h"

/* What a run came to. Start with {0}, end with gr_outcome_free. */
struct gr_outcome {
    enum gr_verdict verdict;
    char reason[256]; /* one line beside a verdict other than right */
    struct gr_check check;
    struct gr_findings findings;
    int64_t ns;
};

void gr_outcome_free(struct gr_outcome *outcome);

enum gr_c_start { GR_C_FINITE, GR_C_NAN };

struct gr_trial {
    struct gr_entrant entrant;
    const struct gr_pair *pair; /* inputs, the C to start from, and the reference */
    double alpha, beta;
    enum gr_c_start c_start;
    bool at_start; /* operands begin at a page, as an allocator gives them, and do not end at one */
    bool quick;    /* do not wait to see whether C still changes */
    int64_t limit_ns;
};

/* Runs the product with each operand ending at a page that faults (or, where `at_start` says so or
 * the kernel requires an alignment that this does not give, starting at a page), between canaries,
 * and compares: C with the reference, A and B with what they were, canaries and row padding with
 * canaries, C a while later with the C of the moment of return. Whatever the kernel does is in
 * `outcome`; an error is Gradus's own. REFUSED is a verdict. */
enum gradus_status gr_trial_run(struct gr_session *session, const struct gr_trial *trial,
                                struct gr_outcome *outcome, struct gradus_error *error);

/* The verdict and finding of a worker that is gone. `status` is CRASHED or TIMED_OUT. */
void gr_outcome_of_death(const struct gr_session *session, const struct gr_problem *problem,
                         enum gradus_status status, struct gr_outcome *outcome);

#endif
