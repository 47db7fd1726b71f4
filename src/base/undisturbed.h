/* undisturbed.h: keeps our signal handlers in effect while a library runs that installs its own.
 * Otherwise an interruption could end the process without removing its temporary files.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_UNDISTURBED_H
#define BASE_UNDISTURBED_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

enum { GR_UNDISTURBED_SIGNALS = 4 };

struct gr_undisturbed {
    struct sigaction before[GR_UNDISTURBED_SIGNALS];
    sigset_t mask;
    pthread_t thread;
    bool begun;
};

/* From this call until gr_undisturbed_end, SIGINT, SIGTERM, SIGHUP and SIGQUIT are handled by the
 * handlers installed now, even if the library installs others: a thread waits for the signals, and
 * all other threads block them. If the thread cannot be created, nothing changes. */
void gr_undisturbed_begin(struct gr_undisturbed *u);
void gr_undisturbed_end(struct gr_undisturbed *u);

#endif
