/* cleanup.c: children to kill and files to remove when a signal ends the program.
 * SPDX-License-Identifier: MIT */
#include "base/cleanup.h"

#include "base/file.h"

#include <signal.h>
#include <stdatomic.h>

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

/* Children first: one of them might still be writing what is removed next. */
void gr_cleanup_run(void)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = atomic_load(&children[i]);
        if (pid <= 0)
            continue;
        kill(-pid, SIGKILL); /* fails harmlessly when the child leads no group */
        kill(pid, SIGKILL);
    }
    gr_file_remove_pending();
}
