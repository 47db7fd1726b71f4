/* ranks_gpu.h: a product of which each rank's GPU computes a block; panels travel by NCCL.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_RANKS_GPU_H
#define FILES_RANKS_GPU_H

#include "multi/multi_gemm.h"

struct gr_ranks_gpu {
    struct gr_multi_gemm gemm; /* with host operands A and B, which each rank sees whole */
    struct gr_multi_plan plan;
};

/* Plans by assumed rates; *own becomes the block of C that this rank computes. */
enum gradus_status gr_ranks_gpu_plan(struct gr_ranks_gpu *job, const struct gr_dist_comm *comm,
                                     struct gr_dist_plan *plan, struct gr_dist_rect *own,
                                     struct gradus_error *error);
/* Collective: this rank's block of C, dense in `c`, on the GPU of its number among the ranks of its
 * machine. *plan gets the steps that were made. Errors: those of gr_multi_gpu_open and
 * gr_multi_gemm_run. */
enum gradus_status gr_ranks_gpu_run(struct gr_ranks_gpu *job, struct gr_dist_comm *comm,
                                    const struct gr_dist_rect *own, void *c, int64_t memory_bytes,
                                    struct gr_dist_timeline *timeline, struct gr_dist_plan *plan,
                                    struct gradus_error *error);

#endif
