/* file.h: whole files in, whole files out. SPDX-License-Identifier: MIT */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads the whole of `path` into *text (malloc'ed, NUL-terminated) and its length. */
enum gradus_status gr_file_read(const char *path, char **text, size_t *length,
                                struct gradus_error *error);

/* A file that appears whole or not at all: written beside `path` under another name and renamed by commit.
 * Whatever was at `path` stays until then. A temporary file that was neither committed nor abandoned is
 * removed by gr_file_remove_pending, which is async-signal-safe and which the CLI's signal handler calls. */
struct gr_file_out {
    FILE *stream;
    char *path, *temporary;
    int slot;
};

enum gradus_status gr_file_out_open(struct gr_file_out *out, const char *path,
                                    struct gradus_error *error);
/* Flushes, syncs and renames. On failure the temporary file is gone and `path` untouched. */
enum gradus_status gr_file_out_commit(struct gr_file_out *out, struct gradus_error *error);
void gr_file_out_abandon(struct gr_file_out *out);
void gr_file_remove_pending(void);
/* Registers a path (a file, or an empty directory) to be removed by gr_file_remove_pending; returns a slot
 * to hand to gr_file_forget, or -1 when the table is full. */
int gr_file_note_pending(const char *path);
void gr_file_forget(int slot);

/* The bytes of `text` as the whole new content of `path`, by the same door. */
enum gradus_status gr_file_write(const char *path, const char *text, size_t length,
                                 struct gradus_error *error);

/* An empty file of a name of its own that ends so, in $TMPDIR or /tmp, registered as above. */
enum gradus_status gr_file_temporary(const char *ending, char *path, size_t size, int *slot,
                                     struct gradus_error *error);

bool gr_file_exists(const char *path);
/* mkdir -p. */
enum gradus_status gr_dir_make(const char *path, struct gradus_error *error);
/* $XDG_CACHE_HOME/gradus or ~/.cache/gradus, or where that cannot be written $TMPDIR/gradus-<uid>,
 * with `below` appended; made when missing. malloc'ed. */
enum gradus_status gr_cache_dir(const char *below, char **path, struct gradus_error *error);
/* The last component of a path, a pointer into it. */
const char *gr_path_base(const char *path);

#endif
