/* cleanup.c: children to kill and files to remove when a signal ends the program.
 * SPDX-License-Identifier: MIT */
#include "base/cleanup.h"

#include "base/file.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* Lock-free, since the handler reads it: 0 is a free place. */
enum { CHILDREN = 16 };
static atomic_int children[CHILDREN];

bool gr_cleanup_note_child(pid_t pid)
{
    for (int i = 0; i < CHILDREN; i++) {
        int nobody = 0;
        if (atomic_compare_exchange_strong(&children[i], &nobody, (int)pid))
            return true;
    }
    return false;
}

void gr_cleanup_forget_child(pid_t pid)
{
    for (int i = 0; i < CHILDREN; i++) {
        int expected = (int)pid;
        if (atomic_compare_exchange_strong(&children[i], &expected, 0))
            return;
    }
}

/* A compiler that is asked to end removes its temporary files; one that is killed does not. */
enum { GRACE_MS = 500, STEP_MS = 10 };

/* The signal to a child and to the group it leads; fails harmlessly when it leads none. */
static void send(pid_t pid, int number)
{
    kill(-pid, number);
    kill(pid, number);
}

/* Leaves a child that has ended to be waited for. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

void gr_cleanup_end(const pid_t *pids, int count)
{
    bool ended = false;
    for (int i = 0; i < count; i++)
        send(pids[i], SIGTERM);
    for (int ms = 0; ms < GRACE_MS && !ended; ms += STEP_MS) {
        ended = true;
        for (int i = 0; i < count; i++)
            ended = has_ended(pids[i]) && ended;
        if (!ended)
            poll(NULL, 0, STEP_MS);
    }
    for (int i = 0; i < count; i++)
        send(pids[i], SIGKILL);
}

/* Children first: one of them might still be writing what is removed next. */
void gr_cleanup_run(void)
{
    pid_t pids[CHILDREN];
    int count = 0;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = atomic_load(&children[i]);
        if (pid > 0)
            pids[count++] = pid;
    }
    gr_cleanup_end(pids, count);
    gr_file_remove_pending();
}
