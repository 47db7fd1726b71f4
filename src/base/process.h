/* process.h: runs another program and reads its output. No shell is involved, so that arguments
 * need no quoting. SPDX-License-Identifier: MIT */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/str.h"

#include <gradus/gradus.h>
#include <stdint.h>

/* Runs argv (null-terminated, found on PATH, without a shell) in `environment` (null: that of this
 * process) with /dev/null as standard input, for at most limit_ns, and appends both of its outputs
 * to `output`. *exit_code is the exit status, or 128 + the signal. Its whole process group has
 * ended when this returns; it is also killed if this process ends earlier, for whatever reason.
 * NOT_FOUND: no such program; IO: it cannot be started at present; TIMED_OUT; INTERRUPTED
 * (base/stop.h). */
enum gradus_status gr_process_run(const char *const argv[], char *const *environment,
                                  int64_t limit_ns, struct gr_str *output, int *exit_code,
                                  struct gradus_error *error);

/* The path of the file that a shell would run for this name; malloc'ed, or null. */
char *gr_program_find(const char *name);

/* Splits text such as "-O3 -march=native" at blanks; '…' and "…" quote. Appends to argv[*count], at
 * most `room` words; the words point into *storage, which the caller frees. False if there are more
 * words than room. */
bool gr_words_split(const char *text, const char **argv, int *count, int room, char **storage);

#endif
