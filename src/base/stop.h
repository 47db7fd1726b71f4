/* stop.h: being asked to end early, by a signal or since the time is over, with what is finished
 * still to be written. SPDX-License-Identifier: MIT */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* Who asks, by a signal's number: SIGALRM says that the time is over. The first to ask is the one
 * that is remembered. Async-signal-safe. */
void gr_stop_ask(int signal);
/* The signal's number; 0: nobody has asked. What takes long looks here between its steps. */
int gr_stop_asked(void);
/* Readable from the moment somebody has asked: for poll() beside what is waited for. -1 before
 * gr_stop_listen, which poll() passes over. */
int gr_stop_fd(void);
/* Makes the descriptor. False: there is none to be had, and only gr_stop_asked tells. */
bool gr_stop_listen(void);

#endif
