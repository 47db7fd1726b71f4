/* signals.c: cleans up and dies of a signal, or requests an early end of the run first.
 * SPDX-License-Identifier: MIT */
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
static pid_t owner; /* only this process cleans up, not a forked child */

/* The process must die of the signal, so that the shell sees that it was interrupted (130 or 143).
 * The default action is restored here and not by SA_RESETHAND: a library that saves and restores
 * the handlers, as NVRTC does, may lose the flags, and raising the signal would then call this
 * handler forever. The first process of a container does not die of a signal that it sends to
 * itself, so it exits. */
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

/* For a file that has reached its size limit: the write fails and is reported. The signal is not
 * ignored, because started programs would inherit that. */
static void let_the_write_fail(int number)
{
    (void)number;
}

/* For signals of a fault of the program, or of a mapped page that is gone because the file has
 * become shorter. */
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
    /* SA_RESTART: a signal that only requests the end must not make a read of a file fail. */
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

/* A signal that is ignored stays ignored, and handlers of a sanitizer are kept. */
void gr_signals_install(void)
{
    /* Batch systems announce the end of a job by the signals of the second line. */
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
