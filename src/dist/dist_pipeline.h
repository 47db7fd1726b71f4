/* dist_pipeline.h: the steps of a product on one rank, whose operands are in the plan's layout.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_PIPELINE_H
#define DIST_DIST_PIPELINE_H

#include "dist/dist_panels.h"
#include "dist/dist_timeline.h"

struct gr_dist_pipeline {
    enum gradus_type type;
    double alpha, beta;
    int threads;
    const struct gr_dist_plan *plan;
    struct gr_dist_comm *comm;
    struct gr_dist_panel panels[3];
    struct gr_dist_timeline timeline; /* product_s and what is of panels is added */
};

/* Collective over the ranks that the plan uses. Where the plan overlaps, the panels of the next
 * step are gathered, and C's of the step before reduced, during a step's product: by a thread of
 * their own if comm->threaded, otherwise as far as the engine carries messages by itself. After a
 * failure of its own a rank has aborted the others. */
enum gradus_status gr_dist_pipeline_run(struct gr_dist_pipeline *pipeline,
                                        struct gradus_error *error);

#endif
