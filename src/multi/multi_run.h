/* multi_run.h: one rank's part of a product over several GPUs that is under way.
 * SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_RUN_H
#define MULTI_MULTI_RUN_H

#include "device/device_pieces.h"
#include "multi/multi_gemm.h"
#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* What a rank tells the others: where its panels and its blocks are, and its events. Those of
 * another process mean nothing here. */
struct gr_multi_addresses {
    bool kept; /* the following is that of the last product; if not, only the next two are there */
    int64_t steps, passes;
    gr_device_context context;
    uint64_t places[GR_MULTI_OPERANDS][GR_MULTI_PLACES];
    uint64_t own[GR_MULTI_OPERANDS];
    int64_t ld[GR_MULTI_OPERANDS]; /* of `own`, in elements */
    void *uploaded[GR_MULTI_PLACES], *arrived[GR_MULTI_PLACES];
};

struct gr_multi_run {
    const struct gr_multi_gemm *gemm;
    struct gr_multi_plan plan;
    struct gr_multi_gpu *gpu;
    struct gr_dist_comm *comm;
    struct gradus_error *error;
    const struct gr_multi_ranks *kept; /* null, or all ranks': none has agreed to begin */
    bool timed, told;                  /* told: all ranks know that one has failed */
    int64_t tiles;
    struct gr_multi_addresses all[GR_MULTI_GPUS]; /* by rank */
    uint64_t c[GR_MULTI_PLACES];                  /* host operands: tiles of C */
    uint64_t packed_out, packed_in;               /* NCCL: parts that are not in one piece */
    uint64_t workspace, spare;                    /* of products, and for what is made ahead */
    struct gr_device_left left;                   /* in these, of the last tile's product */
    int64_t workspace_bytes, spare_bytes;
    int64_t sent_bytes, received_bytes;
    double up_s, down_s; /* the host's time for its memory */
};

/* The local product of a tile, but for the addresses of A, B and C. */
struct gradus_gemm gr_multi_product(const struct gr_multi_run *run, int64_t tile);

/* More steps, as many as this rank's memory makes necessary. NO_MEMORY. */
enum gradus_status gr_multi_fit(struct gr_multi_run *run, int64_t memory_bytes);
/* Takes the memory for the plan's tiles. */
enum gradus_status gr_multi_reserve(struct gr_multi_run *run);
/* Writes down what this rank tells the others: all, if its memory is taken (`kept`). */
void gr_multi_address(struct gr_multi_run *run, bool kept);
/* The same of all other ranks, which have kept the run's plan. */
void gr_multi_address_others(struct gr_multi_run *run, const struct gr_multi_ranks *kept);

/* Takes the plan of the last product; `plan`: what was asked for, or null. */
void gr_multi_take_kept(struct gr_multi_run *run, const struct gr_multi_plan *plan);
/* Keeps what was planned and reserved for the next product. */
void gr_multi_keep(struct gr_multi_run *run, const struct gr_multi_plan *plan,
                   int64_t memory_bytes);

/* Queues what brings the panels of a tile here that others have, and tells with `arrived`, also of
 * what was uploaded. All
 * ranks call it for the same tile; what they upload has been queued before any of them calls it. */
enum gradus_status gr_multi_travel(struct gr_multi_run *run, int64_t tile);
/* Bytes of memory for parts of a tile that are not in one piece, on their way out and in. */
void gr_multi_packed_bytes(const struct gr_multi_run *run, int64_t tile, int64_t *out, int64_t *in);

/* Queues the copies of this rank's share of the host's operands for a tile, and of C where it is
 * read, and tells with `uploaded`. */
enum gradus_status gr_multi_upload(struct gr_multi_run *run, int64_t tile);
/* Copies a tile of C to the host, when its product is done. */
enum gradus_status gr_multi_download(struct gr_multi_run *run, int64_t tile);

/* The event of a tile's time; null where none is taken. */
void *gr_multi_event(const struct gr_multi_run *run, int64_t tile, enum gr_multi_time time);

#endif
