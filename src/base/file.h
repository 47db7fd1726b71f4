/* file.h: reads whole files, and writes files so that they appear completely or not at all.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads the whole of `path` into *text (malloc'ed, NUL-terminated) and its length. */
enum gradus_status gr_file_read(const char *path, char **text, size_t *length,
                                struct gradus_error *error);

/* An output file that appears completely or not at all. It is written without a name and gets its
 * name by gr_file_out_commit; until then a file that already is at `path` stays. If the file system
 * does not support unnamed files, it is written beside `path` under a temporary name; if the
 * program ends before commit or abandon, gr_file_remove_pending removes it. That function is
 * async-signal-safe, and the CLI's signal handler calls it.
 *
 * A symbolic link stays: the file behind it is replaced, or created if it does not exist. What is
 * not a regular file, such as a device or a pipe, stays, too, and is written directly. */
struct gr_file_out {
    FILE *stream;
    char *path, *temporary; /* the file behind all links; the temporary name, or null */
    bool in_place;          /* `path` is written directly */
    int slot;
};

/* INVALID: a directory. IO. */
enum gradus_status gr_file_out_open(struct gr_file_out *out, const char *path,
                                    struct gradus_error *error);
/* Flushes, syncs and names the file. If that fails, nothing is left and a regular file at `path` is
 * unchanged. */
enum gradus_status gr_file_out_commit(struct gr_file_out *out, struct gradus_error *error);
void gr_file_out_abandon(struct gr_file_out *out);
void gr_file_remove_pending(void);
/* Registers a file or an empty folder that gr_file_remove_pending removes. Returns a slot for
 * gr_file_forget, or -1 if the table is full. */
int gr_file_note_pending(const char *path);
void gr_file_forget(int slot);

/* Writes `text` as the whole new content of `path`, with a gr_file_out. */
enum gradus_status gr_file_write(const char *path, const char *text, size_t length,
                                 struct gradus_error *error);

bool gr_file_exists(const char *path);
/* Creates a folder and its parents, like mkdir -p. */
enum gradus_status gr_dir_make(const char *path, struct gradus_error *error);
/* The path to which `path` leads when the symbolic links in its last component are followed; what
 * is there need not exist. malloc'ed; null with errno, as ELOOP. */
char *gr_path_behind_links(const char *path);
/* The last component of a path, as a pointer into it. */
const char *gr_path_base(const char *path);

#endif
