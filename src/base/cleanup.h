/* cleanup.h: registers child processes and files that must not be left behind when a signal ends
 * the program. The signal handler can use the register because it is of fixed size and
 * lock-free. SPDX-License-Identifier: MIT */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Around the creation of a child or a file and its registration. Signals are blocked until the end,
 * and gr_cleanup_run waits for other threads that are in between. After gr_cleanup_run has begun,
 * gr_cleanup_begin_entry does not return: the program is about to end, and what its threads still
 * created would be left behind. */
void gr_cleanup_begin_entry(sigset_t *before);
void gr_cleanup_end_entry(const sigset_t *before);

/* Registers a child that must not outlive the program: gr_cleanup_run kills it, and if it leads a
 * process group, the whole group. False when the table (16 children) is full. */
bool gr_cleanup_note_child(pid_t pid);
/* Call this before waitpid collects the child, because afterwards its process id may be reused. */
void gr_cleanup_forget_child(pid_t pid);

/* Ends children and the process groups that they lead: sends SIGTERM, waits up to half a second,
 * then kills what is left. The caller must still wait for them. Async-signal-safe. */
void gr_cleanup_end(const pid_t *pids, int count);

/* Ends the registered children, and removes the pending files (base/file.h) and the folder of
 * temporary files with what children have left in it. Async-signal-safe; the CLI's signal handler
 * calls it. */
void gr_cleanup_run(void);

#endif
