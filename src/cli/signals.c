/* signals.c: clean up, then die of the signal; or end early first. SPDX-License-Identifier: MIT */
#include "cli/signals.h"

#include "base/cleanup.h"
#include "base/stop.h"
#include "cli/progress_line.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_bool deferred;
static pid_t owner; /* what is to be cleaned up is its own, not a forked child's */

/* The shell must see 130 or 143 by signal, to know that the program was interrupted. The default
 * action is put back here, and not by SA_RESETHAND: a library that keeps the handlers of before and
 * puts them back, as NVRTC does, may lose the flags, and then the raised signal would come here for
 * ever. The first process of a container does not die of a signal that it sends itself: it exits.
 */
static void die(int number)
{
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

static void clean(void)
{
    if (getpid() != owner)
        return;
    gr_cleanup_run();
    gr_progress_wipe();
}

static void clean_and_die(int number)
{
    bool can_wait = number == SIGINT || number == SIGTERM || number == SIGHUP;
    if (can_wait && atomic_load(&deferred) &&
        (!gr_stop_requested() || gr_stop_requested() == SIGALRM)) {
        gr_stop_request(number);
        return;
    }
    clean();
    die(number);
}

/* A file that may not grow further: the write fails, which is reported. Not ignored, since that
 * would go to the programs that are started. */
static void let_the_write_fail(int number)
{
    (void)number;
}

/* What ends a program by its own fault, or since a file that it reads has become shorter: a mapped
 * page is gone. */
static void clean_and_crash(int number)
{
    static const char shorter[] =
        "gradus: SIGBUS: the memory that a file is mapped to is gone: a file that is read was made "
        "shorter "
        "meanwhile, or no room is left for shared memory (/dev/shm, the container's limit)\n";
    clean();
    if (number == SIGBUS && write(STDERR_FILENO, shorter, sizeof shorter - 1) < 0)
        _exit(128 + number);
    die(number);
}

static void install(const int *numbers, int count, void (*handler)(int))
{
    /* SA_RESTART: a signal that only asks must not make a file unreadable. */
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < count; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (int i = 0; i < count; i++) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

static void time_is_over(int number)
{
    gr_stop_request(number);
}

/* One that is ignored stays so, and a sanitizer keeps its own. */
void gr_signals_install(void)
{
    /* Batch systems announce their end by those of the second line. */
    static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                                 SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM};
    static const int crashes[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT};
    static const int full[] = {SIGXFSZ};
    owner = getpid();
    install(deadly, sizeof deadly / sizeof *deadly, clean_and_die);
    install(crashes, sizeof crashes / sizeof *crashes, clean_and_crash);
    install(full, 1, let_the_write_fail);
}

void gr_signals_defer(void)
{
    gr_stop_listen();
    atomic_store(&deferred, true);
}

void gr_signals_stop_after(int64_t ns)
{
    struct sigaction action = {.sa_handler = time_is_over, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)(ns / 1000000000),
                                                 .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void gr_signals_die(void)
{
    if (gr_stop_requested() && gr_stop_requested() != SIGALRM)
        die(gr_stop_requested());
}
