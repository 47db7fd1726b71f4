/* cleanup.c: kills children and removes files when a signal ends the program.
 * SPDX-License-Identifier: MIT */
#include "base/cleanup.h"

#include "base/file.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* A lock-free table, since the signal handler reads it. 0 is a free slot. */
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

/* Compilers remove their temporary files on SIGTERM but not on SIGKILL, so they get this time. */
enum { GRACE_MS = 500, STEP_MS = 10 };

/* Sends the signal to a child and to its process group; has no effect on a group that does not
 * exist. */
static void send(pid_t pid, int number)
{
    kill(-pid, number);
    kill(pid, number);
}

/* Does not reap the child. */
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

/* Children end first, because one of them might still write a file that is removed next. */
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
