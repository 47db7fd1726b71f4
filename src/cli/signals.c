/* signals.c: clean up, then die of the signal. SPDX-License-Identifier: MIT */
#include "cli/signals.h"

#include "base/cleanup.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The shell must see 130 or 143 by signal, to know that the program was interrupted. The default
 * action is put back here, and not by SA_RESETHAND: a library that keeps the handlers of before and
 * puts them back, as NVRTC does, may lose the flags, and then the raised signal would come here for
 * ever. The first process of a container does not die of a signal that it sends itself: it exits. */
static void clean_and_die(int number)
{
    gr_cleanup_run();
    struct sigaction deadly = {.sa_handler = SIG_DFL};
    sigset_t blocked;
    sigemptyset(&deadly.sa_mask);
    sigaction(number, &deadly, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, number);
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
    raise(number);
    _exit(128 + number);
}

void gr_signals_install(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    enum { DEADLY = sizeof deadly / sizeof *deadly };
    struct sigaction action = {.sa_handler = clean_and_die};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < DEADLY; i++)
        sigaddset(&action.sa_mask, deadly[i]);
    for (int i = 0; i < DEADLY; i++) {
        struct sigaction before;
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    }
}
