/* multi_gemm.h: C = alpha op(A) op(B) + beta C by several GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GEMM_H
#define MULTI_MULTI_GEMM_H

#include "dist/dist_timeline.h"
#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* Collective: one product, of which this rank's GPU computes its block. `plan` null: by the rates
 * assumed. *used (may be null) becomes the plan with as many steps as the GPUs' memory makes
 * necessary; `memory_bytes` limits that, 0: what is free. C is complete on all ranks when this
 * returns OK. Errors are the same on all ranks: INVALID, UNSUPPORTED (what several GPUs do not
 * have; ranks that ask for different products), NO_MEMORY, IO, LAUNCH, CRASHED. */
enum gradus_status gr_multi_gemm_run(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, struct gr_multi_gpu *gpu,
                                     struct gr_dist_comm *comm, int64_t memory_bytes,
                                     struct gr_multi_plan *used, struct gr_dist_timeline *timeline,
                                     struct gradus_error *error);

/* The row-major product of one that may be column-major. INVALID, UNSUPPORTED: what several GPUs do
 * not have: a batch, an epilogue, packed operands, integers. */
enum gradus_status gr_multi_gemm_turn(const struct gradus_gemm *given, struct gradus_gemm *turned,
                                      struct gradus_error *error);

#endif
