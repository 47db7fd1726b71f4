/* multi_gpus.h: the definition of struct gradus_gpus of gradus/dist.h, and what the workbench needs
 * besides. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GPUS_H
#define MULTI_MULTI_GPUS_H

#include "multi/multi_gemm.h"

#include <gradus/dist.h>
#include <pthread.h>

struct gradus_gpus {
    int count;
    char link[32];
    struct gr_dist_team *team; /* one rank for each GPU */
    pthread_mutex_t lock;      /* held by the product that uses the GPUs */
    struct gr_multi_gpu gpus[GR_MULTI_GPUS];
};

/* Where to store details of a product. Each pointer may be null. */
struct gr_multi_told {
    struct gr_multi_plan *plan;
    struct gr_dist_timeline *timelines; /* one for each GPU */
};

/* Opens GPUs that communicate over `link`; see gradus_gpus_open. */
enum gradus_status gr_multi_gpus_open(const int *numbers, int count, enum gr_multi_link link,
                                      struct gradus_gpus **gpus, struct gradus_error *error);

/* Computes a product that gemms[i] describes for GPU i. If `plan` is null, one is made. */
enum gradus_status gr_multi_gpus_run(const struct gr_multi_gemm *gemms,
                                     const struct gr_multi_plan *plan, struct gradus_gpus *gpus,
                                     int64_t memory_bytes, const struct gr_multi_told *told,
                                     struct gradus_error *error);

/* The same for operands in host memory. All arguments must have been checked. */
enum gradus_status gr_multi_gpus_host(const struct gradus_gemm *gemm, struct gradus_gpus *gpus,
                                      int64_t memory_bytes, const struct gr_multi_told *told,
                                      struct gradus_error *error);

#endif
