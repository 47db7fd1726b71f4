/* row_counts.h: what the simulator adds to a row of `ladder` and `run`: counts in place of times,
 * and the faults by which the row is wrong. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ROW_COUNTS_H
#define EXPLAIN_ROW_COUNTS_H

#include "backend/backend.h"
#include "records/follow.h"
#include "records/row.h"

/* How the rows of a run are traced. */
struct gr_row_tracing {
    const struct gr_device_ref *device;
    const char *present; /* the name that the driver gives the GPU; of no use for a simulated one */
    const struct gr_build *build;
    const struct gr_follower *follower; /* may be null */
    bool strict;                        /* reading C with beta 0 is a fault */
    bool count;                         /* a row that is right gets counts */
    bool edges;                         /* a row that is right is traced at the edge shapes too */
};

/* Traces the variant at the row's problem for at most two seconds, and puts what was counted, and
 * the faults that were seen, into the row. A row that is right and has a fault becomes wrong: it is
 * right because of the order in which the simulator runs threads. What cannot be counted becomes a
 * note; an error is Gradus's own (or INTERRUPTED). */
enum gradus_status gr_row_trace(const struct gr_row_tracing *tracing,
                                const struct gr_variant *variant, struct gr_row *row,
                                struct gradus_error *error);
/* Appends the faults that the simulator sees at `problem`, and nothing where it sees none or cannot
 * look. */
enum gradus_status gr_row_trace_faults(const struct gr_row_tracing *tracing,
                                       const struct gr_variant *variant,
                                       const struct gr_problem *problem,
                                       struct gr_findings *findings, struct gradus_error *error);
/* Of a row that was timed on a GPU: only the bytes that it moves at each level, for the roofline.
 * They stay unknown where the kernel cannot be simulated or no device file describes the GPU. */
enum gradus_status gr_row_trace_traffic(const struct gr_row_tracing *tracing,
                                        const struct gr_variant *variant, struct gr_row *row,
                                        struct gradus_error *error);

#endif
