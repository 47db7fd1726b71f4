/* simulate.h: traces a kernel's launches without a GPU. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SIMULATE_H
#define EXPLAIN_SIMULATE_H

#include "code/cubin.h"
#include "explain/explain.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

/* Traces the launches of `plan` into explained->traces. `code` is that of explained->cubin,
 * possibly without kernels. If the launches cannot be simulated, or the simulation ends early,
 * explained->untraced says why, and that is not an error. COMPILE is one; error->log has the
 * compiler's messages. */
enum gradus_status gr_simulate(const struct gr_explain *ask, const struct gr_givens *givens,
                               const struct gr_plan *plan, const struct gr_code *code,
                               struct gr_explained *explained, struct gradus_error *error);

/* Runs the traced program `built` for the launches of `plan`, like gr_sim_trace; `machine` may
 * be null. */
enum gradus_status gr_simulate_launches(const struct gr_explain *ask,
                                        const struct gr_givens *givens, const struct gr_plan *plan,
                                        const struct gr_sim_built *built,
                                        const struct gr_sim_machine *machine,
                                        struct gr_trace traces[GR_MAX_STANZAS], int *count,
                                        struct gradus_error *error);

/* Builds the kernel as a program of that kind. It is a temporary file that the caller owns
 * (base/temporary.h). */
enum gradus_status gr_simulate_build(const struct gr_explain *ask, enum gr_sim_kind kind,
                                     struct gr_sim_built *built, struct gradus_error *error);

/* Runs the checked program `built` for the launches of `plan`, like gr_sim_check; `last_only`:
 * only the last block of each. */
enum gradus_status gr_simulate_checked(const struct gr_explain *ask, const struct gr_givens *givens,
                                       const struct gr_plan *plan, const struct gr_sim_built *built,
                                       bool last_only, struct gr_trace_fault **faults, int *count,
                                       bool *cut, struct gradus_error *error);

#endif
