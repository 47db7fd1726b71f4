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

/* A file that appears whole or not at all: written without a name, and given one by commit.
 * Whatever was at `path` stays until then. Where the file system has no such files it is written
 * beside `path` under another name; when it was neither committed nor abandoned, that one is
 * removed by gr_file_remove_pending, which is async-signal-safe and which the CLI's signal handler
 * calls. */
struct gr_file_out {
    FILE *stream;
    char *path, *temporary; /* the other name; null: none */
    int slot;
};

enum gradus_status gr_file_out_open(struct gr_file_out *out, const char *path,
                                    struct gradus_error *error);
/* Flushes, syncs and names. On failure nothing is left and `path` is untouched. */
enum gradus_status gr_file_out_commit(struct gr_file_out *out, struct gradus_error *error);
void gr_file_out_abandon(struct gr_file_out *out);
void gr_file_remove_pending(void);
/* Registers a path (a file, or an empty directory) to be removed by gr_file_remove_pending; returns
 * a slot to hand to gr_file_forget, or -1 when the table is full. */
int gr_file_note_pending(const char *path);
void gr_file_forget(int slot);

/* The bytes of `text` as the whole new content of `path`, by the same door. */
enum gradus_status gr_file_write(const char *path, const char *text, size_t length,
                                 struct gradus_error *error);

bool gr_file_exists(const char *path);
/* mkdir -p. */
enum gradus_status gr_dir_make(const char *path, struct gradus_error *error);
/* The last component of a path, a pointer into it. */
const char *gr_path_base(const char *path);

#endif
