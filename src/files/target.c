/* target.c: writes a result to a file or to standard output.
 * SPDX-License-Identifier: MIT */
#include "files/target.h"

#include "core/error.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

enum gradus_status gr_target_open(struct gr_target *target, const char *path,
                                  struct gradus_error *error)
{
    *target = (struct gr_target){.file.slot = -1};
    if (strcmp(path, "-") != 0) {
        const enum gradus_status status = gr_file_out_open(&target->file, path, error);
        target->stream = target->file.stream;
        return status;
    }
    if (isatty(STDOUT_FILENO))
        return gr_fail(
            error, GRADUS_INVALID,
            "standard output: found a terminal, wanted a file or a pipe for binary data");
    target->stream = stdout;
    target->standard = true;
    return GRADUS_OK;
}

enum gradus_status gr_target_commit(struct gr_target *target, struct gradus_error *error)
{
    if (!target->standard)
        return gr_file_out_commit(&target->file, error);
    errno = 0;
    bool failed = fflush(target->stream) != 0 || ferror(target->stream);
    int reason = errno;
    gr_target_abandon(target);
    if (failed)
        return gr_fail(error, GRADUS_IO, "standard output: could not be written: %s",
                       reason ? strerror(reason) : "write error");
    return GRADUS_OK;
}

void gr_target_abandon(struct gr_target *target)
{
    if (!target->standard)
        gr_file_out_abandon(&target->file);
    else { /* a failure to write has already been reported */
        __fpurge(stdout);
        clearerr(stdout);
    }
    target->stream = NULL;
}
