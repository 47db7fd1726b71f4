/* cleanup.c: kills children and removes files when a signal ends the program.
 * SPDX-License-Identifier: MIT */
#include "base/cleanup.h"

#include "base/file.h"
#include "base/temporary.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many threads are creating something that they have not registered yet. */
static atomic_int entering;
static atomic_bool ending;

void gr_cleanup_begin_entry(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    atomic_fetch_add(&entering, 1);
    if (!atomic_load(&ending))
        return;
    atomic_fetch_sub(&entering, 1);
    for (;;)
        pause();
}

void gr_cleanup_end_entry(const sigset_t *before)
{
    atomic_fetch_sub(&entering, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

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

/* Compilers remove their temporary files on SIGTERM but not on SIGKILL, so they get this time. A
 * thread that is creating something gets as much to register it. */
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

static void refuse_entries(void)
{
    atomic_store(&ending, true);
    for (int ms = 0; ms < GRACE_MS && atomic_load(&entering) > 0; ms++)
        poll(NULL, 0, 1);
}

/* Children end first, because one of them might still write a file that is removed next. */
void gr_cleanup_run(void)
{
    refuse_entries();
    pid_t pids[CHILDREN];
    int count = 0;
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = atomic_load(&children[i]);
        if (pid > 0)
            pids[count++] = pid;
    }
    gr_cleanup_end(pids, count);
    gr_file_remove_pending();
    gr_temporary_remove_all();
}
