/* stop.h: a request to end early, by a signal or because the time limit is reached. Long-running
 * work polls it and stops at its next step, so that finished results can still be written.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* Requests a stop. `signal` is the reason; SIGALRM means that the time limit is reached. Only the
 * first request is remembered. Async-signal-safe. */
void gr_stop_request(int signal);
/* The signal of the request, or 0 if there is none. Long-running work checks it between its
 * steps. */
int gr_stop_requested(void);
/* A descriptor that is readable once a stop has been requested, for poll(). -1 before
 * gr_stop_listen, which poll() ignores. */
int gr_stop_fd(void);
/* Creates the descriptor. False: none is available, and only gr_stop_requested reports requests. */
bool gr_stop_listen(void);

#endif
