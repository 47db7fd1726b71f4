/* dist_panels.h: all-gather and reduce-scatter of the panels of a planned product, on one rank.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_PANELS_H
#define DIST_DIST_PANELS_H

#include "dist/dist_plan.h"
#include "dist/dist_transport.h"

#include <stdbool.h>

/* A dense matrix or a part of one. It is stored in the order in which the parts of the sharers are
 * contiguous: row-major if its rows are divided among them, column-major if its columns are. */
struct gr_dist_view {
    char *data;
    int64_t ld; /* leading dimension, in elements */
    bool by_cols;
};

/* One operand on one rank, in the plan's layout. */
struct gr_dist_panel {
    enum gr_dist_operand operand;
    struct gr_dist_rect own; /* the part that the rank owns */
    char *owned;             /* the elements of that part */
    bool by_cols;
    int64_t sharers, me; /* ranks that share the block; this rank's place */
    bool stepped;        /* each step has a panel of its own */
    char *buffer[2]; /* the panels of steps, used alternately if the plan overlaps them; not used
                        with only one sharer, which has the whole block */
    char *received;  /* C: a part that another rank has sent, to be added */
};

/* The kinds of memory of a panel. */
enum gr_dist_memory { GR_DIST_OWNED, GR_DIST_BUFFER, GR_DIST_SECOND, GR_DIST_RECEIVED };
enum { GR_DIST_MEMORIES = 4 };

/* Fills in everything except the memory, and the bytes of each kind of memory. */
void gr_dist_panel_init(struct gr_dist_panel *panel, const struct gr_dist_plan *plan, int64_t rank,
                        enum gr_dist_operand operand, size_t bytes[GR_DIST_MEMORIES]);

/* The buffer of a step. */
char *gr_dist_panel_buffer(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                           int64_t step);

/* Where the elements `rect` of a step are: in `owned` if there is a single sharer, else in the
 * buffer. */
struct gr_dist_view gr_dist_panel_view(const struct gr_dist_panel *panel,
                                       const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                       int64_t step);

/* The communication of one panel. It has rounds of messages, each of which begins when the one
 * before is complete. */
struct gr_dist_flight {
    struct gr_dist_comm *comm;
    const struct gr_dist_panel *panel;
    const struct gr_dist_plan *plan;
    struct gr_dist_rect rect;
    char *buffer; /* the buffer of the step */
    double beta;  /* C */
    /* The state of the communication. */
    int64_t round;
    void *ticket; /* of the round in progress; null: it is complete */
    int64_t sent_bytes, received_bytes;
};

/* Collective over the sharers. Begins to gather all parts of `rect` in each buffer (A, B), or to
 * add up the buffers of all sharers (C). The buffers must not be used before it has ended. */
enum gradus_status gr_dist_flight_begin(struct gr_dist_flight *flight, struct gradus_error *error);

/* Waits until the communication is complete. For C, owned = beta * owned + the sum of all buffers,
 * for this rank's part of `rect`. */
enum gradus_status gr_dist_flight_end(struct gr_dist_flight *flight, struct gradus_error *error);

/* Ends the communication after a failure, of which comm->abort has notified the other ranks. */
void gr_dist_flight_drop(struct gr_dist_flight *flight);

#endif
