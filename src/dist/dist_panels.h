/* dist_panels.h: the panels of a planned product on one rank: gathered, multiplied, reduced.
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
    char *buffer;        /* the panel of a step; null with one sharer, who has it all */
    char *received;      /* C: a part from another rank, to be added */
};

/* Fills in all but the memory, and the bytes that `owned`, `buffer` and `received` take. */
void gr_dist_panel_init(struct gr_dist_panel *panel, const struct gr_dist_plan *plan, int64_t rank,
                        enum gr_dist_operand operand, size_t bytes[3]);

/* Where the elements `rect` of the operand are: in `owned` of a single sharer, or in the buffer. */
struct gr_dist_view gr_dist_panel_view(const struct gr_dist_panel *panel,
                                       const struct gr_dist_plan *plan, struct gr_dist_rect rect);

/* Collective over the sharers of A or B: all parts of `rect` come into the buffers. */
enum gradus_status gr_dist_panel_gather(struct gr_dist_comm *comm,
                                        const struct gr_dist_panel *panel,
                                        const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                        struct gradus_error *error);

/* Collective over the sharers of C: owned = beta * owned + the sum of all buffers, of `rect`. */
enum gradus_status gr_dist_panel_reduce(struct gr_dist_comm *comm,
                                        const struct gr_dist_panel *panel,
                                        const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                        double beta, struct gradus_error *error);

#endif
