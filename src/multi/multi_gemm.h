/* multi_gemm.h: C = alpha op(A) op(B) + beta C by several GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GEMM_H
#define MULTI_MULTI_GEMM_H

#include "dist/dist_timeline.h"
#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* All ranks' products and GPUs, of ranks that are threads of one process. */
struct gr_multi_ranks {
    const struct gr_multi_gemm *gemms;
    const struct gr_multi_gpu *gpus;
};

/* Was the GPU's last product like this one, but for addresses, and asked for with the same plan?
 * Then its plan is this one's, too, and the memory is there. `timed`: with a timeline. */
bool gr_multi_is_kept(const struct gr_multi_gpu *gpu, const struct gr_multi_gemm *gemm,
                      const struct gr_multi_plan *plan, int64_t memory_bytes, bool timed);

/* Collective: one product, of which this rank's GPU computes its block. `plan` null: by the rates
 * assumed. *used (may be null) becomes the plan with as many steps as the GPUs' memory makes
 * necessary; `memory_bytes` limits that, 0: what is free. `kept`, the same on all ranks: null, or,
 * with copies, all of them where gr_multi_is_kept is true of each; then they do not agree to begin.
 * With NCCL, C is complete on all ranks when this returns OK, and errors are the same on all; with
 * copies, whose ranks are threads of one process, this is known when all of them have returned.
 * Errors: INVALID, UNSUPPORTED (what several GPUs do not have; ranks that ask for different
 * products), NO_MEMORY, IO, LAUNCH, CRASHED. */
enum gradus_status gr_multi_gemm_run(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, struct gr_multi_gpu *gpu,
                                     const struct gr_multi_ranks *kept, struct gr_dist_comm *comm,
                                     int64_t memory_bytes, struct gr_multi_plan *used,
                                     struct gr_dist_timeline *timeline, struct gradus_error *error);

/* The row-major product of one that may be column-major. INVALID, UNSUPPORTED: what several GPUs do
 * not have: a batch, an epilogue, packed operands, integers. */
enum gradus_status gr_multi_gemm_turn(const struct gradus_gemm *given, struct gradus_gemm *turned,
                                      struct gradus_error *error);

#endif
