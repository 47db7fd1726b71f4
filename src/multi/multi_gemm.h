/* multi_gemm.h: C = alpha op(A) op(B) + beta C on several GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GEMM_H
#define MULTI_MULTI_GEMM_H

#include "dist/dist_timeline.h"
#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* The products and GPUs of all ranks, where the ranks are threads of one process. */
struct gr_multi_ranks {
    const struct gr_multi_gemm *gemms;
    const struct gr_multi_gpu *gpus;
};

/* Was the GPU's last product like this one, except for addresses, and was the same plan asked for?
 * Then its plan and its memory can be used again. `timed`: there must be events for a timeline. */
bool gr_multi_is_kept(const struct gr_multi_gpu *gpu, const struct gr_multi_gemm *gemm,
                      const struct gr_multi_plan *plan, int64_t memory_bytes, bool timed);

/* Collective. Computes one product, of which this rank's GPU computes its block. If `plan` is null,
 * it is made from the assumed rates. *used (may be null) becomes the plan, with as many steps as
 * the memory of the GPUs makes necessary; `memory_bytes` limits that memory (0: what is free).
 * `kept` must be the same on all ranks: null, or, with copies, all ranks' products and GPUs if
 * gr_multi_is_kept is true of each; then the ranks begin without an agreement. With NCCL, C is
 * complete on all ranks when this returns OK, and errors are the same on all; with copies, whose
 * ranks are threads of one process, this holds when all of them have returned. Errors: INVALID,
 * UNSUPPORTED (what several GPUs do not have; ranks that ask for different products), NO_MEMORY,
 * IO, LAUNCH, CRASHED. */
enum gradus_status gr_multi_gemm_run(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, struct gr_multi_gpu *gpu,
                                     const struct gr_multi_ranks *kept, struct gr_dist_comm *comm,
                                     int64_t memory_bytes, struct gr_multi_plan *used,
                                     struct gr_dist_timeline *timeline, struct gradus_error *error);

/* Describes a product, which may be column-major, as a row-major one. UNSUPPORTED: it has what
 * several GPUs do not support, such as a batch, an epilogue, packed operands, a stream or
 * integers. */
enum gradus_status gr_multi_gemm_turn(const struct gradus_gemm *given, struct gradus_gemm *turned,
                                      struct gradus_error *error);

#endif
