/* keep_signals.c: NVRTC's front end handles SIGINT and SIGTERM by calling exit() with a status of
 * its own, and leaves files behind. A signal that all threads block is delivered to the thread
 * that waits for it, whatever handler is installed. SPDX-License-Identifier: MIT */
#include "base/keep_signals.h"

#include <errno.h>
#include <unistd.h>

static const int numbers[GR_KEPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static int wake_signal(void)
{
    return SIGRTMAX - 3;
}

static void make_set(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < GR_KEPT_SIGNALS; i++)
        sigaddset(set, numbers[i]);
    sigaddset(set, wake_signal());
}

/* Acts as the handler that was installed before would have done. */
static void hand_on(const struct gr_kept_signals *u, int number)
{
    for (int i = 0; i < GR_KEPT_SIGNALS; i++) {
        if (numbers[i] != number || u->before[i].sa_handler == SIG_IGN)
            continue;
        if (u->before[i].sa_handler != SIG_DFL) {
            u->before[i].sa_handler(number);
            continue;
        }
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, number);
        sigaction(number, &u->before[i], NULL);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        raise(number);
    }
}

static void *wait_for_them(void *undisturbed)
{
    const struct gr_kept_signals *u = undisturbed;
    sigset_t set;
    make_set(&set);
    for (;;) {
        const int number = sigwaitinfo(&set, NULL);
        if (number == wake_signal())
            return NULL;
        if (number > 0)
            hand_on(u, number);
    }
}

void gr_keep_signals_begin(struct gr_kept_signals *u)
{
    sigset_t set;
    make_set(&set);
    for (int i = 0; i < GR_KEPT_SIGNALS; i++)
        sigaction(numbers[i], NULL, &u->before[i]);
    pthread_sigmask(SIG_BLOCK, &set, &u->mask);
    u->begun = pthread_create(&u->thread, NULL, wait_for_them, u) == 0;
    if (!u->begun)
        pthread_sigmask(SIG_SETMASK, &u->mask, NULL);
}

/* Also removes the handlers that the library has installed. */
void gr_keep_signals_end(struct gr_kept_signals *u)
{
    if (!u->begun)
        return;
    pthread_kill(u->thread, wake_signal());
    pthread_join(u->thread, NULL);
    for (int i = 0; i < GR_KEPT_SIGNALS; i++)
        sigaction(numbers[i], &u->before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &u->mask, NULL);
}
