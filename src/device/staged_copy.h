/* staged_copy.h: copies between host memory and a GPU while both go on: by way of page-locked
 * buffers, two for each of two streams, since only from those does the GPU copy by itself. Several
 * threads of the host fill and empty the buffers. SPDX-License-Identifier: MIT */
#ifndef DEVICE_STAGED_COPY_H
#define DEVICE_STAGED_COPY_H

#include "device/device_driver.h"
#include "device/staged_panels.h"

struct gr_team;

enum { GR_STAGED_HALVES = 2 };

/* What stays with a GPU: streams, events, page-locked buffers. One product has them at a time. */
struct gr_staging {
    bool has_streams;
    void *streams[GR_STAGED_PLACES], *buffers[GR_STAGED_PLACES][GR_STAGED_HALVES];
    void *copied[GR_STAGED_PLACES][GR_STAGED_HALVES]; /* events: the buffer may be written again */
    void *a_is_there;
    int64_t half_bytes;
};

/* The copies of a product. */
struct gr_staged_copies {
    const struct gr_device_driver *driver;
    struct gr_staging *staging;
    struct gr_team *team; /* null: the caller's thread alone */
    struct gradus_error *error;
    int turn[GR_STAGED_PLACES];
};

/* A matrix of the host's, or a panel of one: rows as they are stored. */
struct gr_staged_panel {
    char *host;
    int64_t ld; /* of the host's, in bytes */
    int64_t rows, row_bytes, pitch;
};

struct gr_staged_panel gr_staged_panel_of(const void *matrix, int64_t ld, enum gradus_type type,
                                          int64_t row, int64_t rows, int64_t column,
                                          int64_t columns);

/* OK for success; else the line of gr_device_check. */
enum gradus_status gr_staged_check(const struct gr_staged_copies *copies, int result,
                                   const char *what);
/* Streams, events, and buffers that hold a row of so many bytes; kept where they are there. */
enum gradus_status gr_staged_open(const struct gr_staged_copies *copies, int64_t row_bytes);

/* Queues the copies of a panel to the GPU, in the stream of a place. */
enum gradus_status gr_staged_upload(struct gr_staged_copies *copies, int place,
                                    const struct gr_staged_panel *panel, uint64_t to);
/* Copies a panel back, when what is queued in the stream of its place has ended. */
enum gradus_status gr_staged_download(struct gr_staged_copies *copies, int place,
                                      const struct gr_staged_panel *panel, uint64_t from);

#endif
