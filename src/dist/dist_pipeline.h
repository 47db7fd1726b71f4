/* dist_pipeline.h: computes the steps of a product on one rank, with operands in the plan's layout.
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
    struct gr_dist_timeline timeline; /* product_s and the members about panels are added to */
};

/* Collective over the ranks that the plan uses. If the plan overlaps, the next step's panels are
 * gathered and the previous step's panel of C is reduced during each step's product: by another
 * thread if comm->threaded, otherwise as far as the transport makes progress by itself. A rank that
 * fails aborts the other ranks. */
enum gradus_status gr_dist_pipeline_run(struct gr_dist_pipeline *pipeline,
                                        struct gradus_error *error);

#endif
