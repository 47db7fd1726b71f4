/* trial.h: runs one GEMM of one candidate, guarded against stray accesses, and checks the
 * result. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TRIAL_H
#define MEASURE_TRIAL_H

#include "measure/session.h"

/* The result of a run. Start with {0}, end with gr_outcome_free. */
struct gr_outcome {
    enum gr_verdict verdict;
    char reason[256]; /* one line that explains a verdict other than right */
    struct gr_check check;
    struct gr_findings findings;
    int64_t ns;
};

void gr_outcome_free(struct gr_outcome *outcome);
/* Is it wrong, with the elements that a sum in f16 gives? */
bool gr_outcome_adds_in_f16(const struct gr_outcome *outcome);

/* With GR_C_ZERO beta should be 0, as a kernel that adds to C has none. */
enum gr_c_start { GR_C_FINITE, GR_C_NAN, GR_C_ZERO };

struct gr_trial {
    struct gr_candidate candidate;
    const struct gr_pair *pair; /* inputs, initial C, and reference */
    double alpha, beta;
    enum gr_c_start c_start;
    /* Operands begin at a page boundary, as an allocator places them, and do not end at one. */
    bool at_start;
    bool muted; /* what the kernel prints is dropped: it is one of many trials of a launch */
    bool quick; /* do not wait to see whether C changes after the return */
    int64_t limit_ns;
};

/* Runs the GEMM with each operand ending at a guard page (or beginning at a page boundary, if
 * `at_start` says so or the kernel requires an alignment that prevents the former) and
 * surrounded by canaries. Then compares C with the reference, A and B with their previous
 * content, canaries and row padding with the canary value, and C a little later with C at the
 * moment of return. Failures of the kernel are in `outcome`; an error is one of Gradus itself.
 * REFUSED is a verdict. */
enum gradus_status gr_trial_run(struct gr_session *session, const struct gr_trial *trial,
                                struct gr_outcome *outcome, struct gradus_error *error);

/* The verdict and finding for a worker that died. `status` is CRASHED or TIMED_OUT. `kernel` has
 * the names of guarded `work` buffers; null: there are none. */
void gr_outcome_of_death(const struct gr_session *session, const struct gr_kernel *kernel,
                         const struct gr_problem *problem, enum gradus_status status,
                         struct gr_outcome *outcome);

#endif
