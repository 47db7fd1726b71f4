/* temporary.h: files that are gone when this process is, however it ends. SPDX-License-Identifier:
 * MIT */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* An empty file of a name of its own that ends so, in a folder of this process's own, which lies in
 * the first of $TMPDIR, /tmp, /var/tmp and ~/.cache that can be written and from which programs may
 * be run. The folder goes with the last of its files, or at a signal (base/cleanup.h). That of a
 * process that was killed is removed when another one of the same user makes its own. */
enum gradus_status gr_temporary_make(const char *ending, char *path, size_t size, int *slot,
                                     struct gradus_error *error);
/* The bytes of `text` as its content: neither synced nor in one step, for nobody else looks at it.
 */
enum gradus_status gr_temporary_fill(const char *path, const char *text, size_t length,
                                     struct gradus_error *error);
/* Removes it. A path of "" is none. */
void gr_temporary_remove(const char *path, int slot);

/* The environment of a program that shall put its own temporary files there too; malloc'ed, freed
 * with gr_temporary_environment_free. Null where there is no file at the moment: the program's own
 * is ours. */
char **gr_temporary_environment(void);
void gr_temporary_environment_free(char **environment);

/* "TMPDIR=/nope: No such file or directory: temporary files are put in /tmp" where TMPDIR could not
 * be used; else null. */
const char *gr_temporary_note(void);

#endif
