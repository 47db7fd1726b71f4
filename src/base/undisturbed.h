/* undisturbed.h: signals while a library works that takes them for itself. SPDX-License-Identifier:
 * MIT */
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

/* From here to the end, SIGINT, SIGTERM, SIGHUP and SIGQUIT come to the handlers that there are
 * now, whatever others the library installs: a thread waits for them. Without that thread all is as
 * before. The other threads block these signals or there are none. */
void gr_undisturbed_begin(struct gr_undisturbed *u);
void gr_undisturbed_end(struct gr_undisturbed *u);

#endif
