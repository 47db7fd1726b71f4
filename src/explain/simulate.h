/* simulate.h: a kernel's launches, traced without a GPU. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SIMULATE_H
#define EXPLAIN_SIMULATE_H

#include "code/cubin.h"
#include "explain/explain.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

/* `code`: of explained->cubin; its kernels may be none. Traces the launches of `plan` into
 * explained->traces. Whatever keeps them from being simulated, or ends the simulation, is told in
 * explained->untraced and is no error; COMPILE is one, with the compiler's words in error->log. */
enum gradus_status gr_simulate(const struct gr_explain *ask, const struct gr_givens *givens,
                               const struct gr_plan *plan, const struct gr_code *code,
                               struct gr_explained *explained, struct gradus_error *error);

/* Runs the traced program `built` for the launches of `plan`, as gr_sim_trace does; `machine` may
 * be null. */
enum gradus_status gr_simulate_launches(const struct gr_explain *ask,
                                        const struct gr_givens *givens, const struct gr_plan *plan,
                                        const struct gr_sim_built *built,
                                        const struct gr_sim_machine *machine,
                                        struct gr_trace traces[GR_MAX_STANZAS], int *count,
                                        struct gradus_error *error);

/* The ask's kernel, as a program of that kind, a temporary file of the caller's (base/temporary.h).
 */
enum gradus_status gr_simulate_build(const struct gr_explain *ask, enum gr_sim_kind kind,
                                     struct gr_sim_built *built, struct gradus_error *error);

/* Runs the checked program `built` for the launches of `plan`, as gr_sim_check does; `last_only`:
 * of each the last block. */
enum gradus_status gr_simulate_checked(const struct gr_explain *ask, const struct gr_givens *givens,
                                       const struct gr_plan *plan, const struct gr_sim_built *built,
                                       bool last_only, struct gr_trace_fault **faults, int *count,
                                       bool *cut, struct gradus_error *error);

#endif
