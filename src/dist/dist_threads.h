/* dist_threads.h: ranks that are threads of this process. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_THREADS_H
#define DIST_DIST_THREADS_H

#include "dist/dist_transport.h"

enum { GR_DIST_THREADS_MAX = 1024 };

/* Threads that stay for one round of work after another. */
struct gr_dist_team;

/* `looks`: where each rank has a core, those that wait look for a short time before they sleep.
 * Errors: INVALID, NO_MEMORY; *team is null then. */
enum gradus_status gr_dist_team_open(int64_t ranks, bool looks, struct gr_dist_team **team,
                                     struct gradus_error *error);
/* Null is allowed. In a process that was forked from that of the threads it frees the memory. */
void gr_dist_team_close(struct gr_dist_team *team);
/* Is this the process that has the threads, rather than one forked from it? */
bool gr_dist_team_is_here(const struct gr_dist_team *team);

/* Runs `work` on all ranks, each with its own end, and returns when all have ended: OK if all
 * returned OK, otherwise the status of the first rank that did not, with its text. Rank 0 is the
 * calling thread. A rank that returns a failure aborts the others; the next round is none the worse
 * for it. One call at a time. Errors of its own: UNSUPPORTED (a forked process). */
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
