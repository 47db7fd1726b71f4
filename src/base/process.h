/* process.h: running another program and reading what it says. SPDX-License-Identifier: MIT */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/str.h"

#include <gradus/gradus.h>
#include <stdint.h>

/* Runs argv (found on PATH, null-terminated; no shell) in an environment (null: ours) with no
 * standard input and both outputs appended to `output`, for at most limit_ns. *exit_code: the exit
 * status, or 128 + signal. Its whole process group is gone when this returns, and when this process
 * ends before, however it ends. NOT_FOUND: no such program; IO: it cannot be started now;
 * TIMED_OUT; INTERRUPTED (base/stop.h). */
enum gradus_status gr_process_run(const char *const argv[], char *const *environment,
                                  int64_t limit_ns, struct gr_str *output, int *exit_code,
                                  struct gradus_error *error);

/* The file that a shell would run for this name; malloc'ed, or null. */
char *gr_program_find(const char *name);

/* Splits "-O3 -march=native" at blanks; quotes '…' and "…" group. Appends to argv[*count], at most
 * `room` words; the words point into *storage, which the caller frees. False when there are too
 * many. */
bool gr_words_split(const char *text, const char **argv, int *count, int room, char **storage);

#endif
