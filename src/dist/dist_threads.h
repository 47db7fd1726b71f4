/* dist_threads.h: ranks that are threads of this process. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_THREADS_H
#define DIST_DIST_THREADS_H

#include "dist/dist_transport.h"

enum { GR_DIST_THREADS_MAX = 1024 };

/* Threads that stay alive for many rounds of work. */
struct gr_dist_team;

/* `looks`: if each rank has a core, waiting threads poll for a short time before they sleep.
 * Errors: INVALID, NO_MEMORY; *team is null then. */
enum gradus_status gr_dist_team_open(int64_t ranks, bool looks, struct gr_dist_team **team,
                                     struct gradus_error *error);
/* Ends the threads and frees the team. Null is allowed. In a child of fork it only frees the
 * memory. */
void gr_dist_team_close(struct gr_dist_team *team);
/* Is this the process that has the threads, rather than a child of it? */
bool gr_dist_team_is_here(const struct gr_dist_team *team);

/* Runs `work` on all ranks, each with its own end, and returns when all have ended: OK if all
 * returned OK, otherwise the status and text of the first rank that failed with another status than
 * CRASHED (the status of ranks that another one has aborted), or else of the first that failed.
 * Rank 0 is the calling thread. A rank that returns a failure aborts the others; the next round is
 * not affected. One call at a time. Errors of its own: UNSUPPORTED (a child of fork). */
enum gradus_status gr_dist_team_run(struct gr_dist_team *team,
                                    enum gradus_status (*work)(struct gr_dist_comm *comm,
                                                               void *context,
                                                               struct gradus_error *error),
                                    void *context, struct gradus_error *error);

/* The same with threads for this round only. Errors of its own: INVALID, NO_MEMORY. */
enum gradus_status gr_dist_threads_run(int64_t ranks,
                                       enum gradus_status (*work)(struct gr_dist_comm *comm,
                                                                  void *context,
                                                                  struct gradus_error *error),
                                       void *context, struct gradus_error *error);

#endif
