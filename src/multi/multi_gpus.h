/* multi_gpus.h: what struct gradus_gpus of gradus/dist.h is, and what the workbench asks of it
 * besides. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GPUS_H
#define MULTI_MULTI_GPUS_H

#include "multi/multi_gemm.h"

#include <gradus/dist.h>
#include <pthread.h>

struct gradus_gpus {
    int count;
    char link[32];
    struct gr_dist_team *team; /* a rank a GPU */
    pthread_mutex_t lock;      /* one product at a time */
    struct gr_multi_gpu gpus[GR_MULTI_GPUS];
};

/* What is told of a product; all may be null. */
struct gr_multi_told {
    struct gr_multi_plan *plan;
    struct gr_dist_timeline *timelines; /* one a GPU */
};

/* GPUs with that link; see gradus_gpus_open. */
enum gradus_status gr_multi_gpus_open(const int *numbers, int count, enum gr_multi_link link,
                                      struct gradus_gpus **gpus, struct gradus_error *error);

/* A product that is described for each GPU: gemms[i]. A plan that is null is made. */
enum gradus_status gr_multi_gpus_run(const struct gr_multi_gemm *gemms,
                                     const struct gr_multi_plan *plan, struct gradus_gpus *gpus,
                                     int64_t memory_bytes, const struct gr_multi_told *told,
                                     struct gradus_error *error);

/* The same for host operands, after all checks. */
enum gradus_status gr_multi_gpus_host(const struct gradus_gemm *gemm, struct gradus_gpus *gpus,
                                      int64_t memory_bytes, const struct gr_multi_told *told,
                                      struct gradus_error *error);

#endif
