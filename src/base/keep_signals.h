/* keep_signals.h: keeps our signal handlers in effect while a library runs that installs its own.
 * Otherwise an interruption could end the process without removing its temporary files.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_KEEP_SIGNALS_H
#define BASE_KEEP_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

enum { GR_KEPT_SIGNALS = 4 };

struct gr_kept_signals {
    struct sigaction before[GR_KEPT_SIGNALS];
    sigset_t mask;
    pthread_t thread;
    bool begun;
};

/* From this call until gr_keep_signals_end, SIGINT, SIGTERM, SIGHUP and SIGQUIT are handled by the
 * handlers installed now, even if the library installs others: a thread waits for the signals, and
 * all other threads block them. If the thread cannot be created, nothing changes. */
void gr_keep_signals_begin(struct gr_kept_signals *u);
void gr_keep_signals_end(struct gr_kept_signals *u);

#endif
