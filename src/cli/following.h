/* following.h: what a measuring run shows while it is running: its rows as they are measured, and
 * its progress. SPDX-License-Identifier: MIT */
#ifndef CLI_FOLLOWING_H
#define CLI_FOLLOWING_H

#include "cli/kernel_chapters.h"
#include "cli/recording.h"
#include "measure/estimate.h"
#include "records/follow.h"
#include "report/row_stream.h"

struct gr_following {
    struct gr_follower follower; /* for the session's options; its context is this struct */
    const struct gr_run *run, *plan;
    const struct gr_format *format;
    struct gr_style style; /* for standard output */
    struct gr_stream stream;
    bool printing;                       /* the stream has begun */
    struct gr_kernel_chapters *chapters; /* of the report; null: there is no report */
    struct gr_recording *recording;      /* measured rows are added to it */
    int done;
    struct gr_estimate_terms terms;
    struct gr_estimate estimate;
    char head[160]; /* of the progress line */
};

/* Begins to print rows to standard output in `format`, if it can print row by row. `run` is the run
 * as it will be shown; it must outlive the following. */
void gr_following_begin(struct gr_following *following, const struct gr_run *run,
                        const struct gr_format *format, const struct gr_estimate_terms *terms);
/* Stops showing progress. */
void gr_following_pause(struct gr_following *following);
/* Prints what follows the rows. Returns false if no row was printed, and the whole run is still to
 * be rendered. */
bool gr_following_finish(struct gr_following *following);
/* For a run of which nothing is to be shown. */
void gr_following_abandon(struct gr_following *following);

#endif
