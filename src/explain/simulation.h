/* simulation.h: everything that is simulated for a kernel: its launches, and the search for faults
 * at other sizes and with other alpha and beta. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SIMULATION_H
#define EXPLAIN_SIMULATION_H

#include "code/cubin.h"
#include "explain/request.h"

/* Traces the launches of `plan` into explained->traces. `code` is that of explained->cubin,
 * possibly without kernels. If the launches cannot be simulated, or the simulation ends early, this
 * is not an error, and explained->untraced gives the reason. COMPILE is an error; error->log has
 * the compiler's messages. */
enum gradus_status gr_simulate(const struct gr_explain *ask,
                               const struct gr_device_values *device_values,
                               const struct gr_plan *plan, const struct gr_code *code,
                               struct gr_explained *explained, struct gradus_error *error);

#endif
