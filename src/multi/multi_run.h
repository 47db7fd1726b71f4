/* multi_run.h: the state of one rank's part of a product over several GPUs.
 * SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_RUN_H
#define MULTI_MULTI_RUN_H

#include "device/device_pieces.h"
#include "multi/multi_gemm.h"
#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* What a rank sends to the others: the addresses of its panels and blocks, and its events. They
 * have no meaning in another process. */
struct gr_multi_addresses {
    bool kept; /* the rank can use its last plan and memory again; if false, only steps and passes
                  are valid */
    int64_t steps, passes;
    gr_device_context context;
    uint64_t places[GR_MULTI_OPERANDS][GR_MULTI_PLACES];
    uint64_t own[GR_MULTI_OPERANDS];
    int64_t ld[GR_MULTI_OPERANDS]; /* leading dimensions of `own`, in elements */
    void *uploaded[GR_MULTI_PLACES], *arrived[GR_MULTI_PLACES];
};

struct gr_multi_run {
    const struct gr_multi_gemm *gemm;
    struct gr_multi_plan plan;
    struct gr_multi_gpu *gpu;
    struct gr_dist_comm *comm;
    struct gradus_error *error;
    const struct gr_multi_ranks *kept; /* null, or all ranks', which begin without agreeing */
    bool timed, told;                  /* told: all ranks know that one of them has failed */
    int64_t tiles;
    struct gr_multi_addresses all[GR_MULTI_GPUS]; /* indexed by rank */
    uint64_t c[GR_MULTI_PLACES];                  /* host operands: where tiles of C are */
    uint64_t packed_out, packed_in; /* NCCL: buffers for parts that are not contiguous */
    uint64_t workspace, spare;      /* for products, and for pieces that are made ahead */
    struct gr_device_left left;     /* what the last tile's product has left in these */
    int64_t workspace_bytes, spare_bytes;
    int64_t sent_bytes, received_bytes;
    double up_s, down_s; /* the host's time for copies to and from its memory */
};

/* The local product of a tile, without the addresses of A, B and C. */
struct gradus_gemm gr_multi_product(const struct gr_multi_run *run, int64_t tile);

/* Increases the steps or passes until the tiles fit in this rank's memory. NO_MEMORY: the smallest
 * panels do not fit. */
enum gradus_status gr_multi_fit(struct gr_multi_run *run, int64_t memory_bytes);
/* Allocates the memory for the plan's tiles. */
enum gradus_status gr_multi_reserve(struct gr_multi_run *run);
/* Fills in what this rank sends to the others. `kept`: its last plan and memory are used again. */
void gr_multi_address(struct gr_multi_run *run, bool kept);
/* Fills in the same for all other ranks, which use the plan of this run again. */
void gr_multi_address_others(struct gr_multi_run *run, const struct gr_multi_ranks *kept);

/* Uses the plan of the last product. `plan`: what the caller has asked for, or null. */
void gr_multi_take_kept(struct gr_multi_run *run, const struct gr_multi_plan *plan);
/* Keeps the plan and the memory for the next product. */
void gr_multi_keep(struct gr_multi_run *run, const struct gr_multi_plan *plan,
                   int64_t memory_bytes);

/* Queues the copies that bring the panels of a tile from other ranks, and records `arrived` after
 * them and after this rank's own uploads. All ranks call it for the same tile; what they upload
 * must have been queued before any of them calls it. */
enum gradus_status gr_multi_travel(struct gr_multi_run *run, int64_t tile);
/* Bytes of buffers for the parts of a tile that must be packed before they are sent (*out), or
 * unpacked after they were received (*in). */
void gr_multi_packed_bytes(const struct gr_multi_run *run, int64_t tile, int64_t *out, int64_t *in);

/* Queues the upload of this rank's share of the host's operands for a tile, and of C where it is
 * read, and records `uploaded` after it. */
enum gradus_status gr_multi_upload(struct gr_multi_run *run, int64_t tile);
/* Copies a tile of C to the host after its product has ended. */
enum gradus_status gr_multi_download(struct gr_multi_run *run, int64_t tile);

/* The event that marks a time of a tile; null if the product is not timed. */
void *gr_multi_event(const struct gr_multi_run *run, int64_t tile, enum gr_multi_time time);

#endif
