/* simulate.h: passes a kernel's launches to the simulator. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SIMULATE_H
#define EXPLAIN_SIMULATE_H

#include "explain/request.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

/* Runs the traced program `built` for the launches of `plan`, like gr_sim_trace; `machine` may
 * be null. */
enum gradus_status
gr_simulate_launches(const struct gr_explain *ask, const struct gr_device_values *device_values,
                     const struct gr_plan *plan, const struct gr_sim_built *built,
                     const struct gr_sim_machine *machine, struct gr_trace traces[GR_MAX_STANZAS],
                     int *count, struct gradus_error *error);

/* Builds the kernel as a program of that kind. It is a temporary file that the caller owns
 * (base/temporary.h). */
enum gradus_status gr_simulate_build(const struct gr_explain *ask, enum gr_sim_kind kind,
                                     struct gr_sim_built *built, struct gradus_error *error);

/* Runs the checked program `built` for the launches of `plan`, like gr_sim_check; `last_only`:
 * only the last block of each. */
enum gradus_status gr_simulate_checked(const struct gr_explain *ask,
                                       const struct gr_device_values *device_values,
                                       const struct gr_plan *plan, const struct gr_sim_built *built,
                                       bool last_only, struct gr_trace_fault **faults, int *count,
                                       bool *cut, struct gradus_error *error);

#endif
