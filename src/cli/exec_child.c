/* exec_child.c: the child process of `gradus exec`: starts it, forwards signals to it, and waits
 * for it. SPDX-License-Identifier: MIT */
#include "cli/exec_child.h"

#include "core/clock.h"
#include "base/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signals that end or control a program. Job control is left to the shell, which stops and
 * continues the process group. */
static const int handed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

static void wait_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (int i = 0; i < HANDED_ON; i++)
        sigaddset(set, handed_on[i]);
}

/* A signal from the terminal is sent by the kernel, and the child receives it, too. It must not be
 * forwarded. */
static void wait_for(pid_t child, const sigset_t *set, int *status)
{
    for (;;) {
        siginfo_t info;
        const int number = sigwaitinfo(set, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(child, number);
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return;
    }
}

int gr_exec_child(char *const argv[], char *const environment[], int *status, int64_t *wall_ns)
{
    sigset_t set, before;
    struct gr_spawned child;
    signal(SIGCHLD, SIG_DFL); /* if it were ignored, there would be no exit status to wait for */
    wait_set(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    const struct gr_spawn spawn = {
        .argv = (const char *const *)argv, .environment = environment, .mask = &before};
    const int64_t start_ns = gr_now_ns();
    const int failed = gr_spawn(&spawn, &child);
    if (!failed) {
        /* A failure to print the report must not change the program's exit status. */
        signal(SIGPIPE, SIG_IGN);
        *status = 0;
        wait_for(child.pid, &set, status);
        *wall_ns = gr_now_ns() - start_ns;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void gr_exec_die_of(int number)
{
    const struct rlimit none = {0, 0};
    sigset_t set;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}
