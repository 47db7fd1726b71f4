/* exec_child.h: runs a program as if it replaced this one. SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_CHILD_H
#define CLI_EXEC_CHILD_H

#include <stdint.h>

/* Runs argv (found on PATH) with this environment, forwards the signals that are sent to this
 * process, and waits. *status is that of waitpid, *wall_ns the time it took. Returns 0, or errno if
 * it cannot be run. */
int gr_exec_child(char *const argv[], char *const environment[], int *status, int64_t *wall_ns);

/* Ends this process by the signal that ended the child, without a second core file. */
void gr_exec_die_of(int signal_number);

#endif
