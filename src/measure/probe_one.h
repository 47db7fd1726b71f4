/* probe_one.h: runs single GEMMs at other shapes than the requested one, to see whether a kernel
 * is correct there. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROBE_ONE_H
#define MEASURE_PROBE_ONE_H

#include "measure/scale_pairs.h"
#include "measure/trial.h"

struct gr_probe {
    const struct gr_candidate *candidate;
    struct gr_pair pair;
};

/* Makes operands of that shape with those leading dimensions. */
enum gradus_status gr_probe_open(struct gr_session *session, const struct gr_candidate *candidate,
                                 const struct gr_problem *problem, struct gr_probe *probe,
                                 struct gradus_error *error);
/* Runs one GEMM. The outcome is REFUSED also if an expression of the kernel's file has no value
 * at that shape (a division by 0). Free it with gr_outcome_free. */
enum gradus_status gr_probe_run(struct gr_session *session, const struct gr_probe *probe,
                                struct gr_scales scales, enum gr_c_start c_start,
                                struct gr_outcome *outcome, struct gradus_error *error);
void gr_probe_close(struct gr_probe *probe);

/* Runs one GEMM and reports only whether it is correct, or refused. `reason` (may be null)
 * receives what is wrong. */
enum gradus_status gr_probe_right(struct gr_session *session, const struct gr_candidate *candidate,
                                  const struct gr_problem *problem, struct gr_scales scales,
                                  bool *right, char reason[256], struct gradus_error *error);

/* "63x65x64, lda 69, ldb 70, ldc 68, alpha 1.5, beta 0.5", with the kernel's own names; leading
 * dimensions only if one is larger than its rows, alpha and beta only if the kernel has them. */
void gr_probe_name(const struct gr_variant *variant, const struct gr_problem *problem,
                   struct gr_scales scales, char name[160]);

/* Is no row of any operand followed by padding? */
bool gr_probe_is_dense(const struct gr_problem *problem);

#endif
