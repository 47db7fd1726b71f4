/* simulate.h: passes a kernel's launches to the simulator. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SIMULATE_H
#define EXPLAIN_SIMULATE_H

#include "explain/request.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

/* The machine code of the plan's launches. Returns false if a launch has none, or if it was not
 * disassembled. */
bool gr_simulate_machine(const struct gr_plan *plan, const struct gr_code *code,
                         const struct gr_rtc_code *cubin, struct gr_sim_machine *machine);

/* Runs the traced program `built` for the launches of `plan`, like gr_sim_trace; `machine` may
 * be null. With GR_ENGINE_CODE it executes ask->code, and neither is used. */
enum gradus_status
gr_simulate_launches(const struct gr_explain *ask, const struct gr_device_values *device_values,
                     const struct gr_plan *plan, const struct gr_sim_built *built,
                     const struct gr_sim_machine *machine, struct gr_trace traces[GR_MAX_STANZAS],
                     int *count, struct gradus_error *error);

/* The memory after a product: its operands and C. */
struct gr_simulated_product {
    void *memory; /* of all three matrices; null if not every block ran to its end */
    const void *a, *b, *c;
};

/* Executes ask->code for the launches of `plan`. The caller frees product->memory. */
enum gradus_status gr_simulate_product(const struct gr_explain *ask,
                                       const struct gr_device_values *device_values,
                                       const struct gr_plan *plan,
                                       struct gr_simulated_product *product,
                                       struct gradus_error *error);

/* Builds the kernel as a program of this kind. The program is a temporary file that the caller owns
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
