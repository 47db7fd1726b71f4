/* staged_copy.h: copies between host memory and a GPU that overlap with the work of both. They go
 * through page-locked buffers, two for each of two streams, since only from page-locked memory does
 * the GPU copy asynchronously. Several threads of the host fill and empty the buffers.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_STAGED_COPY_H
#define DEVICE_STAGED_COPY_H

#include "device/device_driver.h"
#include "device/staged_panels.h"

struct gr_team;

enum { GR_STAGED_HALVES = 2 };

/* What is kept for each GPU: streams, events and page-locked buffers. One product at a time uses
 * them. */
struct gr_staging {
    bool has_streams;
    void *streams[GR_STAGED_PLACES], *buffers[GR_STAGED_PLACES][GR_STAGED_HALVES];
    void *copied[GR_STAGED_PLACES][GR_STAGED_HALVES]; /* events: the buffer is free again */
    void *a_is_there;
    int64_t half_bytes;
};

/* The state of the copies of one product. */
struct gr_staged_copies {
    const struct gr_device_driver *driver;
    struct gr_staging *staging;
    struct gr_team *team; /* null: only the caller's thread copies */
    struct gradus_error *error;
    int turn[GR_STAGED_PLACES];
};

/* A matrix in host memory, or a panel of one, as rows of memory. `pitch` is the distance, in bytes,
 * between the rows of its copy on the GPU. */
struct gr_staged_panel {
    char *host;
    int64_t ld; /* distance between its rows in host memory, in bytes */
    int64_t rows, row_bytes, pitch;
};

struct gr_staged_panel gr_staged_panel_of(const void *matrix, int64_t ld, enum gradus_type type,
                                          int64_t row, int64_t rows, int64_t column,
                                          int64_t columns);

/* Converts a driver's result to a status, as gr_device_check does. */
enum gradus_status gr_staged_check(const struct gr_staged_copies *copies, int result,
                                   const char *what);
/* Creates the streams, events and buffers, unless they exist already. Each buffer holds at least
 * `row_bytes` bytes. */
enum gradus_status gr_staged_open(const struct gr_staged_copies *copies, int64_t row_bytes);

/* Queues the copies of a panel to the GPU at address `to`, in the stream of a place. When this
 * returns, the host's panel has been read. */
enum gradus_status gr_staged_upload(struct gr_staged_copies *copies, int place,
                                    const struct gr_staged_panel *panel, uint64_t to);
/* Copies a panel from the GPU to the host, after the work that is queued in the stream of its
 * place. The panel is complete on return. */
enum gradus_status gr_staged_download(struct gr_staged_copies *copies, int place,
                                      const struct gr_staged_panel *panel, uint64_t from);

#endif
