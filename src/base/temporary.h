/* temporary.h: temporary files that are removed when this process ends, even if it is killed.
 * Compilers and traced programs are killed at times, so normal clean-up alone would leave files
 * behind. SPDX-License-Identifier: MIT */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* Creates an empty file with a unique name that ends with `ending`, in a folder of this process.
 * The folder is in the first of $TMPDIR, /tmp, /var/tmp and ~/.cache that can be written and that
 * allows programs to be executed. It is removed with the last of its files, or at a signal
 * (base/cleanup.h). If a process is killed, its folder is removed when another process of the same
 * user creates one. */
enum gradus_status gr_temporary_make(const char *ending, char *path, size_t size, int *slot,
                                     struct gradus_error *error);
/* Writes `text` to the file. It is not synced and not atomic, because no other process reads it. */
enum gradus_status gr_temporary_fill(const char *path, const char *text, size_t length,
                                     struct gradus_error *error);
/* Removes the file. Does nothing if the path is "". */
void gr_temporary_remove(const char *path, int slot);

/* Removes the folder with all that is in it, also what other programs have put there. For the end
 * of the process: the files' own records stay. Async-signal-safe. */
void gr_temporary_remove_all(void);

/* An environment in which a program puts its own temporary files in the same folder; malloc'ed,
 * freed with gr_temporary_environment_free. Null if no temporary file exists at present; use this
 * process's environment then. */
char **gr_temporary_environment(void);
void gr_temporary_environment_free(char **environment);

/* A warning if TMPDIR cannot be used, else null: "TMPDIR=/nope: No such file or directory:
 * temporary files are put in /tmp". */
const char *gr_temporary_note(void);

#endif
