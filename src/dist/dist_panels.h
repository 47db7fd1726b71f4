/* dist_panels.h: the panels of a planned product on one rank: gathered, and reduced.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_PANELS_H
#define DIST_DIST_PANELS_H

#include "dist/dist_plan.h"
#include "dist/dist_transport.h"

#include <stdbool.h>

/* A dense matrix or a part of one. It is stored in the order in which the parts of its sharers are
 * contiguous: row-major where its rows are shared out, column-major where its columns are. */
struct gr_dist_view {
    char *data;
    int64_t ld; /* between two rows (by_cols: columns) */
    bool by_cols;
};

/* One operand on one rank, in the plan's layout. */
struct gr_dist_panel {
    enum gr_dist_operand operand;
    struct gr_dist_rect own; /* what the rank owns of it */
    char *owned;             /* those elements */
    bool by_cols;
    int64_t sharers, me; /* of the block, and this rank's place among them */
    bool stepped;        /* each step has a panel of its own */
    char *buffer[2];     /* the panels of steps, in turns where the plan overlaps them; with one
                          * sharer, who has it all, none is used */
    char *received;      /* C: a part from another rank, to be added */
};

/* What a panel needs memory for. */
enum gr_dist_memory { GR_DIST_OWNED, GR_DIST_BUFFER, GR_DIST_SECOND, GR_DIST_RECEIVED };
enum { GR_DIST_MEMORIES = 4 };

/* Fills in all but the memory, and the bytes that each takes. */
void gr_dist_panel_init(struct gr_dist_panel *panel, const struct gr_dist_plan *plan, int64_t rank,
                        enum gr_dist_operand operand, size_t bytes[GR_DIST_MEMORIES]);

/* The buffer of a step. */
char *gr_dist_panel_buffer(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                           int64_t step);

/* Where the elements `rect` of a step are: in `owned` of a single sharer, or in the buffer. */
struct gr_dist_view gr_dist_panel_view(const struct gr_dist_panel *panel,
                                       const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                       int64_t step);

/* A panel on its way: rounds of messages, of which each begins when the one before is complete. */
struct gr_dist_flight {
    struct gr_dist_comm *comm;
    const struct gr_dist_panel *panel;
    const struct gr_dist_plan *plan;
    struct gr_dist_rect rect;
    char *buffer; /* of the step */
    double beta;  /* C */
    /* And how far it is. */
    int64_t round;
    void *ticket; /* of the round under way; null: it is complete */
    int64_t sent_bytes, received_bytes;
};

/* Collective over the sharers: begins to bring all parts of `rect` into their buffers (A, B), or to
 * sum up their buffers (C). The buffers must not be used before it has ended. */
enum gradus_status gr_dist_flight_begin(struct gr_dist_flight *flight, struct gradus_error *error);

/* Waits until it is complete. C: owned = beta * owned + the sum of all buffers, of `rect`. */
enum gradus_status gr_dist_flight_end(struct gr_dist_flight *flight, struct gradus_error *error);

/* Gives up after a failure, of which the others have been told by comm->abort. */
void gr_dist_flight_drop(struct gr_dist_flight *flight);

#endif
