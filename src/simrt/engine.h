/* engine.h: what runs the blocks of a traced launch. There are two: one executes a kernel that was
 * compiled for the host (sm.c), the other its machine code (engine/). Each defines these functions,
 * those of sm.h that open and close an SM and run a block, and those of arrays.h for shared memory.
 * SPDX-License-Identifier: MIT */
#ifndef SIMRT_ENGINE_H
#define SIMRT_ENGINE_H

#include "simrt/simrt.h"

/* A launch, and the memory that its parameters point to. */
struct gr_bound_launch {
    uint64_t addresses[GR_SIM_PARAMETERS];
    void *parameters[GR_SIM_PARAMETERS];
    struct gr_sim_launch launch;
};
void gr_launch_bind(const struct gr_sim_job *job, const struct gr_sim_job_launch *from,
                    struct gr_bound_launch *bound);

/* Prepares launch number `number` of the job. False: it cannot run, and `outcome` says why. */
bool gr_engine_prepare(const struct gr_sim_job *job, int number, struct gr_sim_launch *launch,
                       struct gr_sim_outcome *outcome);
void gr_engine_forget(struct gr_sim_launch *launch);

/* Runs a job whose program checks integers for overflow and writes the result to that path. */
typedef bool gr_checked_fn(const struct gr_sim_job *job, struct gr_sim_result *result,
                           const char *path);

/* The program: PROGRAM JOB RESULT. Its exit status is 0 whatever the kernel did, as long as the
 * result is written. `checked` may be null. */
int gr_traced_main(int argc, char **argv, gr_checked_fn *checked);

#endif
