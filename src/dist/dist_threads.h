/* dist_threads.h: ranks that are threads of this process. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_THREADS_H
#define DIST_DIST_THREADS_H

#include "dist/dist_transport.h"

enum { GR_DIST_THREADS_MAX = 1024 };

/* Runs `work` on `ranks` threads, each with its own end, and returns when all have ended: OK if all
 * returned OK, otherwise the status of the first rank that did not, with its text. A rank that
 * returns a failure aborts the others. Errors of its own: INVALID, NO_MEMORY. */
enum gradus_status gr_dist_threads_run(int64_t ranks,
                                       enum gradus_status (*work)(struct gr_dist_comm *comm,
                                                                  void *context,
                                                                  struct gradus_error *error),
                                       void *context, struct gradus_error *error);

#endif
