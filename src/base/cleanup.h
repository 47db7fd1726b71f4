/* cleanup.h: what a signal must not leave behind. SPDX-License-Identifier: MIT */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Registers a child that must not outlive the program: gr_cleanup_run kills it, and the process
 * group it leads when it leads one. False when the table (16 children) is full. A signal that comes
 * between the spawn and this call would miss the child: block signals round the two where that
 * matters. */
bool gr_cleanup_note_child(pid_t pid);
/* Call it before waitpid collects the child: after that its number may be somebody else's. */
void gr_cleanup_forget_child(pid_t pid);

/* Ends children and the groups they lead: asks them to (SIGTERM), waits up to half a second, kills
 * what is left. They remain to be waited for. Async-signal-safe. */
void gr_cleanup_end(const pid_t *pids, int count);

/* Ends the registered children and removes the pending files (base/file.h). Async-signal-safe; the
 * CLI's signal handler calls it. */
void gr_cleanup_run(void);

#endif
