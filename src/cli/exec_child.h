/* exec_child.h: running a program in the place of this one. SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_CHILD_H
#define CLI_EXEC_CHILD_H

#include <stdint.h>

/* Runs argv (found on PATH) with this environment, hands on the signals that are sent to this
 * process, and waits. *status is as waitpid has it, *wall_ns the time it took. Returns 0, or errno
 * where it cannot be run. */
int gr_exec_child(char *const argv[], char *const environment[], int *status, int64_t *wall_ns);

/* Ends this process by a signal, as the child was, without a second core file. */
void gr_exec_die_of(int signal_number);

#endif
