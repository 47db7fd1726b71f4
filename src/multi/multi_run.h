/* multi_run.h: one rank's part of a product over several GPUs that is under way.
 * SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_RUN_H
#define MULTI_MULTI_RUN_H

#include "multi/multi_gpu.h"
#include "multi/multi_plan.h"

/* What a rank tells the others: where its panels and its blocks are, and its events. Those of
 * another process mean nothing here. */
struct gr_multi_addresses {
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
    bool timed, told; /* told: all ranks know that one has failed */
    int64_t tiles;
    struct gr_multi_addresses all[GR_MULTI_GPUS]; /* by rank */
    uint64_t c[GR_MULTI_PLACES];                  /* host operands: tiles of C */
    uint64_t packed_out, packed_in;               /* NCCL: parts that are not in one piece */
    uint64_t workspace;
    int64_t workspace_bytes;
    int64_t sent_bytes, received_bytes;
    double up_s, down_s; /* the host's time for its memory */
};

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
