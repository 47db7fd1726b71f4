/* probe_one.h: products at shapes that nobody asked for, to see whether a kernel is right there.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PROBE_ONE_H
#define MEASURE_PROBE_ONE_H

#include "measure/scale_pairs.h"
#include "measure/trial.h"

struct gr_probe {
    const struct gr_entrant *entrant;
    struct gr_pair pair;
};

/* Operands of that shape and those leading dimensions. */
enum gradus_status gr_probe_open(struct gr_session *session, const struct gr_entrant *entrant,
                                 const struct gr_problem *problem, struct gr_probe *probe,
                                 struct gradus_error *error);
/* One product. REFUSED also where an expression of the kernel's file has no value at that shape (a
 * division by 0). Ends with gr_outcome_free. */
enum gradus_status gr_probe_run(struct gr_session *session, const struct gr_probe *probe,
                                struct gr_scales scales, enum gr_c_start c_start,
                                struct gr_outcome *outcome, struct gradus_error *error);
void gr_probe_close(struct gr_probe *probe);

/* The same for one product alone: is it right? True also where it is refused. `reason`, where
 * given, holds what is wrong. */
enum gradus_status gr_probe_right(struct gr_session *session, const struct gr_entrant *entrant,
                                  const struct gr_problem *problem, struct gr_scales scales,
                                  bool *right, char reason[256], struct gradus_error *error);

/* "63x65x64, lda 69, ldb 70, ldc 68, alpha 1.5, beta 0.5", by the kernel's own names; leading
 * dimensions where one is longer than its rows, alpha and beta where the kernel takes them. */
void gr_probe_name(const struct gr_variant *variant, const struct gr_problem *problem,
                   struct gr_scales scales, char name[160]);

/* True where no row of an operand is followed by padding. */
bool gr_probe_is_dense(const struct gr_problem *problem);

#endif
