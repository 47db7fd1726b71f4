/* executed_kernel.h: a kernel of the simulated GPU that runs by its machine code: compiled for the
 * GPU, and executed on this machine's processor. SPDX-License-Identifier: MIT */
#ifndef BACKEND_EXECUTED_KERNEL_H
#define BACKEND_EXECUTED_KERNEL_H

#include "backend/backend.h"
#include "backend/gpu_compile.h"
#include "machine/memory.h"

/* In the parent: compiles the variant and writes it to a temporary file that artifact->path names.
 * UNSUPPORTED: there is no compiler, or an instruction has no meaning here; the error names it,
 * with its source line. COMPILE: the compiler's messages are in error->log. */
enum gradus_status gr_executed_make(const struct gr_variant *variant, const struct gr_build *build,
                                    const struct gr_gpu_target *target,
                                    struct gr_artifact *artifact, struct gradus_error *error);

/* In the worker. `memory` has the ranges that a launch may access; the kernel's own variables are
 * added to it until it is unloaded. */
struct gr_executed_kernel;
enum gradus_status gr_executed_load(const char *path, struct gr_machine_memory *memory, int threads,
                                    struct gr_executed_kernel **kernel, struct gradus_error *error);
void gr_executed_unload(struct gr_executed_kernel *kernel); /* null is allowed */

/* Executes one launch of the plan. CRASHED: an access outside of all memory, a trap, an assertion
 * or a deadlock; the error has the source line. UNSUPPORTED: not modelled. */
enum gradus_status gr_executed_launch(struct gr_executed_kernel *kernel, const struct gr_plan *plan,
                                      const struct gr_plan_launch *from,
                                      const struct gr_launch *launch,
                                      const struct gr_scratch *scratch, struct gradus_error *error);

#endif
