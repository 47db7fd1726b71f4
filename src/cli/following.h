/* following.h: what a measuring run shows while it goes on: its rows as they are done, and how far
 * it has come. SPDX-License-Identifier: MIT */
#ifndef CLI_FOLLOWING_H
#define CLI_FOLLOWING_H

#include "cli/kernel_chapters.h"
#include "cli/recording.h"
#include "measure/estimate.h"
#include "records/follow.h"
#include "report/row_stream.h"

struct gr_following {
    struct gr_follower follower; /* for the session's options; its context is this */
    const struct gr_run *run, *plan;
    const struct gr_format *format;
    struct gr_style style; /* of standard output */
    struct gr_stream stream;
    bool printing;                       /* the stream has begun */
    struct gr_kernel_chapters *chapters; /* of the report; null: there is none */
    struct gr_recording *recording;      /* rows that are measured go there */
    int done;
    struct gr_estimate_terms terms;
    struct gr_estimate estimate;
    char head[160]; /* of the progress line */
};

/* Rows go to standard output by `format` where it can be printed row by row. `run` is the run as it
 * will be shown; it outlives the following. */
void gr_following_begin(struct gr_following *following, const struct gr_run *run,
                        const struct gr_format *format, const struct gr_estimate_terms *terms);
/* No progress is shown from here on. */
void gr_following_pause(struct gr_following *following);
/* Prints what comes after the rows. False where no row was printed and the whole is still to be
 * rendered. */
bool gr_following_finish(struct gr_following *following);
/* For a run of which nothing is to be shown. */
void gr_following_abandon(struct gr_following *following);

#endif
