/* signals.c: clean up, then die of the signal. SPDX-License-Identifier: MIT */
#include "cli/signals.h"

#include "base/cleanup.h"

#include <signal.h>
#include <stddef.h>

/* SA_RESETHAND has put the default action back, so the raised signal, which is blocked until this
 * function returns, ends the program: the shell then sees 130 or 143 and knows that it was
 * interrupted. */
static void clean_and_die(int number)
{
    gr_cleanup_run();
    raise(number);
}

void gr_signals_install(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    enum { DEADLY = sizeof deadly / sizeof *deadly };
    struct sigaction action = {.sa_handler = clean_and_die, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < DEADLY; i++)
        sigaddset(&action.sa_mask, deadly[i]);
    for (int i = 0; i < DEADLY; i++) {
        struct sigaction before;
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
    }
}
