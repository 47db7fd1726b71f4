/* row_counts.h: adds the simulator's results to a row of `ladder` and `run`: counts instead of
 * times, and the faults that make the row wrong. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ROW_COUNTS_H
#define EXPLAIN_ROW_COUNTS_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "records/follow.h"
#include "records/row.h"

/* How the rows of a run are traced. */
struct gr_row_tracing {
    const struct gr_device_ref *device;
    const char *present; /* the driver's name of the GPU; not used for a simulated one */
    const struct gr_build *build;
    const struct gr_follower *follower; /* may be null */
    bool strict;                        /* reading C with beta 0 is a fault */
    bool count;                         /* a correct row gets counts */
    bool edges;                         /* a correct row is traced at the edge shapes too */
};

/* Traces the variant at the row's problem for at most two seconds, and stores the counts and the
 * faults in the row. A correct row with a fault becomes wrong, since its result depends on the
 * order in which the simulator runs threads. If something cannot be counted, a note says so.
 * Only INTERRUPTED and errors of Gradus itself are returned. */
enum gradus_status gr_row_trace(const struct gr_row_tracing *tracing,
                                const struct gr_variant *variant, struct gr_row *row,
                                struct gradus_error *error);
/* Appends the faults that the simulator finds at `problem`; nothing if it finds none or cannot
 * run it. */
enum gradus_status gr_row_trace_faults(const struct gr_row_tracing *tracing,
                                       const struct gr_variant *variant,
                                       const struct gr_problem *problem,
                                       struct gr_findings *findings, struct gradus_error *error);
/* For a row that was timed on a GPU: determines only the bytes moved at each level of memory,
 * for the roofline. They remain unknown if the kernel cannot be simulated or no device file
 * describes the GPU. */
enum gradus_status gr_row_trace_traffic(const struct gr_row_tracing *tracing,
                                        const struct gr_variant *variant, struct gr_row *row,
                                        struct gradus_error *error);

#endif
