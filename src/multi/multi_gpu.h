/* multi_gpu.h: the resources of one rank of a product over several GPUs: its GPU's streams, events
 * and memory, and the connection to the other GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GPU_H
#define MULTI_MULTI_GPU_H

#include "device/device_gpu.h"
#include "dist/dist_transport.h"
#include "multi/multi_nccl.h"
#include "multi/multi_plan.h"

#include <stdbool.h>
#include <stdint.h>

/* How panels are sent from one GPU to another. */
enum gr_multi_link {
    GR_MULTI_AUTO, /* copies where all GPUs can access each other; else NCCL where installed */
    GR_MULTI_NCCL,
    GR_MULTI_COPIES /* ranks of one process only: copies by the copy engines, through the host where
                       peers cannot access each other */
};

/* AHEAD has work that a product begins with and that runs during the product before. */
enum gr_multi_stream {
    GR_MULTI_PRODUCT,
    GR_MULTI_TRAVEL,
    GR_MULTI_AHEAD,
    GR_MULTI_UP,
    GR_MULTI_DOWN,
    GR_MULTI_STREAMS
};
enum { GR_MULTI_PLACES = 2, GR_MULTI_HALVES = 2, GR_MULTI_GPUS = 64 };

/* Bytes of one buffer of each kind, for the largest tile, and the longest row of a tile. */
struct gr_multi_needs {
    int64_t panels[GR_MULTI_OPERANDS], c, out, in, workspace, ahead, row;
};

/* The last product, whose plan and memory the next one like it can use. */
struct gr_multi_kept {
    bool is_there;
    struct gr_multi_gemm gemm;
    struct gr_multi_plan asked, plan; /* the caller's (no steps: none), that of all ranks */
    int64_t memory_bytes;             /* the limit that the caller gave */
    struct gr_multi_needs needs;
};

struct gr_multi_gpu {
    struct gr_device_gpu *gpu;
    const struct gr_device_driver *driver;
    const struct gr_multi_nccl *nccl; /* null: panels are copied */
    void *nccl_comm;
    void *streams[GR_MULTI_STREAMS];
    /* Events of the tiles with this number modulo GR_MULTI_PLACES. They are recorded when this
     * rank's uploads, the panels of other ranks, what is made ahead of the product, and the product
     * are complete. */
    void *uploaded[GR_MULTI_PLACES], *arrived[GR_MULTI_PLACES], *ahead[GR_MULTI_PLACES];
    void *done[GR_MULTI_PLACES];
    /* Page-locked buffers for uploads and downloads, and the events after which each is free
     * again. */
    char *halves[2][GR_MULTI_HALVES];
    void *half_free[2][GR_MULTI_HALVES];
    int turn[2];
    int64_t half_bytes;
    uint64_t memory; /* kept for later products, until it is closed */
    int64_t memory_bytes;
    struct gr_multi_kept kept;
    void **times; /* events that record times: GR_MULTI_TIMES for each tile */
    int64_t time_count;
};

enum gr_multi_time {
    GR_MULTI_TRAVEL_BEGIN,
    GR_MULTI_TRAVEL_END,
    GR_MULTI_PRODUCT_BEGIN,
    GR_MULTI_PRODUCT_END,
    GR_MULTI_TIMES
};

/* Collective over `comm`, which has one rank for each GPU: opens GPU `ordinal` and connects it with
 * the others. `one_process`: all ranks are threads of this process. Errors, the same on all ranks:
 * UNSUPPORTED (no driver, no such GPU, no NCCL where it is needed), NO_MEMORY, IO (NCCL fails),
 * LAUNCH. After an error nothing stays open. */
enum gradus_status gr_multi_gpu_open(struct gr_multi_gpu *gpu, int ordinal, bool one_process,
                                     enum gr_multi_link link, struct gr_dist_comm *comm,
                                     struct gradus_error *error);
/* May be called on any thread when no work runs on the GPU. {0} is allowed. */
void gr_multi_gpu_close(struct gr_multi_gpu *gpu);

/* Allocates at least this much memory of the GPU and page-locked memory (two buffers for each
 * direction), and creates events, unless they exist. The GPU's context must be current. */
enum gradus_status gr_multi_gpu_reserve(struct gr_multi_gpu *gpu, int64_t memory_bytes,
                                        int64_t half_bytes, int64_t times,
                                        struct gradus_error *error);

/* Like gr_device_check; the error's text names the GPU's number. */
enum gradus_status gr_multi_check(const struct gr_multi_gpu *gpu, int result, const char *what,
                                  struct gradus_error *error);

/* Checks that the driver has the optional functions that only this folder calls. UNSUPPORTED. */
enum gradus_status gr_multi_check_driver(const struct gr_device_driver *driver,
                                         struct gradus_error *error);

#endif
