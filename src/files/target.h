/* target.h: the destination of a result: a file that appears completely or not at all, a device or
 * a pipe, or standard output. SPDX-License-Identifier: MIT */
#ifndef FILES_TARGET_H
#define FILES_TARGET_H

#include "base/file.h"

struct gr_target {
    FILE *stream;
    struct gr_file_out file; /* unless it is standard output */
    bool standard;
};

/* "-" is standard output; any other path is opened as gr_file_out_open does. INVALID: a directory,
 * or a terminal for binary data. IO. */
enum gradus_status gr_target_open(struct gr_target *target, const char *path,
                                  struct gradus_error *error);
/* If it fails, an existing regular file is unchanged. */
enum gradus_status gr_target_commit(struct gr_target *target, struct gradus_error *error);
void gr_target_abandon(struct gr_target *target);

#endif
