/* multi_gpu.h: what one rank of a product over several GPUs has of its GPU: streams, events, memory
 * and the way to the other GPUs. SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_GPU_H
#define MULTI_MULTI_GPU_H

#include "device/device_gpu.h"
#include "dist/dist_transport.h"
#include "multi/multi_nccl.h"
#include "multi/multi_plan.h"

#include <stdbool.h>
#include <stdint.h>

/* How panels travel from one GPU to another. */
enum gr_multi_link {
    GR_MULTI_AUTO, /* copies where all GPUs reach each other; else NCCL where it is installed */
    GR_MULTI_NCCL,
    GR_MULTI_COPIES /* of one process only: by copy engines, through the host where peers cannot
                     * reach each other */
};

/* Ahead: what a product begins with, while the one before it is being computed. */
enum gr_multi_stream {
    GR_MULTI_PRODUCT,
    GR_MULTI_TRAVEL,
    GR_MULTI_AHEAD,
    GR_MULTI_UP,
    GR_MULTI_DOWN,
    GR_MULTI_STREAMS
};
enum { GR_MULTI_PLACES = 2, GR_MULTI_HALVES = 2, GR_MULTI_GPUS = 64 };

/* Bytes of one place of each kind, for the largest tile; the longest row of them. */
struct gr_multi_needs {
    int64_t panels[GR_MULTI_OPERANDS], c, out, in, workspace, ahead, row;
};

/* The last product, for the next one like it. */
struct gr_multi_kept {
    bool is_there;
    struct gr_multi_gemm gemm;
    struct gr_multi_plan asked, plan; /* the caller's, without steps: none; that of all ranks */
    int64_t memory_bytes;             /* the caller's limit */
    struct gr_multi_needs needs;
};

struct gr_multi_gpu {
    struct gr_device_gpu *gpu;
    const struct gr_device_driver *driver;
    const struct gr_multi_nccl *nccl; /* null: copies */
    void *nccl_comm;
    void *streams[GR_MULTI_STREAMS];
    /* Of the tiles with that number modulo GR_MULTI_PLACES: the host's part is there, the panels of
     * others are there, what was made ahead of the product is, the product is done. */
    void *uploaded[GR_MULTI_PLACES], *arrived[GR_MULTI_PLACES], *ahead[GR_MULTI_PLACES];
    void *done[GR_MULTI_PLACES];
    /* Page-locked buffers on the way up and down, and when each may be used again. */
    char *halves[2][GR_MULTI_HALVES];
    void *half_free[2][GR_MULTI_HALVES];
    int turn[2];
    int64_t half_bytes;
    uint64_t memory; /* kept for later products */
    int64_t memory_bytes;
    struct gr_multi_kept kept;
    void **times; /* events with times: GR_MULTI_TIMES for each tile */
    int64_t time_count;
};

enum gr_multi_time {
    GR_MULTI_TRAVEL_BEGIN,
    GR_MULTI_TRAVEL_END,
    GR_MULTI_PRODUCT_BEGIN,
    GR_MULTI_PRODUCT_END,
    GR_MULTI_TIMES
};

/* Collective over `comm`, a rank a GPU: takes GPU `ordinal`, and finds the way to the others'.
 * `one_process`: all ranks are threads of this one. Errors, the same on all ranks: UNSUPPORTED (no
 * driver, no such GPU, no NCCL where it is needed), NO_MEMORY, IO (NCCL fails), LAUNCH. After an
 * error nothing is left. */
enum gradus_status gr_multi_gpu_open(struct gr_multi_gpu *gpu, int ordinal, bool one_process,
                                     enum gr_multi_link link, struct gr_dist_comm *comm,
                                     struct gradus_error *error);
/* On any thread, when nothing runs on it. {0} is allowed. */
void gr_multi_gpu_close(struct gr_multi_gpu *gpu);

/* At least so much memory of the GPU, page-locked memory (twice two buffers), and events. The GPU's
 * context is current. */
enum gradus_status gr_multi_gpu_reserve(struct gr_multi_gpu *gpu, int64_t memory_bytes,
                                        int64_t half_bytes, int64_t times,
                                        struct gradus_error *error);

/* As gr_device_check, with the GPU's number. */
enum gradus_status gr_multi_check(const struct gr_multi_gpu *gpu, int result, const char *what,
                                  struct gradus_error *error);

/* The driver has what is called here and nowhere else. UNSUPPORTED. */
enum gradus_status gr_multi_check_driver(const struct gr_device_driver *driver,
                                         struct gradus_error *error);

#endif
