/* target.c: writes a result to a file, to standard output or to a device.
 * SPDX-License-Identifier: MIT */
#include "files/target.h"

#include "core/error.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A rename would replace /dev/null or a symbolic link by a file, which the user does not want. */
static enum gradus_status open_path(struct gr_target *target, const char *path,
                                    struct gradus_error *error)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return gr_fail(error, GRADUS_INVALID, "%s: found a directory, wanted a file to write",
                       path);
    /* A link of /proc to a file that was deleted has no path: it is written through. */
    char *real = exists ? realpath(path, NULL) : NULL;
    if (exists && (!S_ISREG(st.st_mode) || !real)) {
        free(real);
        target->stream = fopen(path, "wb");
        if (!target->stream)
            return gr_fail(error, GRADUS_IO, "%s: cannot write there: %s", path, strerror(errno));
        return GRADUS_OK;
    }
    enum gradus_status status = gr_file_out_open(&target->file, real ? real : path, error);
    free(real);
    target->stream = target->file.stream;
    target->regular = true;
    return status;
}

enum gradus_status gr_target_open(struct gr_target *target, const char *path,
                                  struct gradus_error *error)
{
    *target = (struct gr_target){.path = path, .file.slot = -1};
    if (strcmp(path, "-") != 0)
        return open_path(target, path, error);
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
    if (target->regular)
        return gr_file_out_commit(&target->file, error);
    errno = 0;
    bool failed = fflush(target->stream) != 0 || ferror(target->stream);
    int reason = errno;
    const char *name = target->standard ? "standard output" : target->path;
    gr_target_abandon(target);
    if (failed)
        return gr_fail(error, GRADUS_IO, "%s: could not be written: %s", name,
                       reason ? strerror(reason) : "write error");
    return GRADUS_OK;
}

void gr_target_abandon(struct gr_target *target)
{
    if (target->regular)
        gr_file_out_abandon(&target->file);
    else if (target->standard) { /* a failure to write has already been reported */
        __fpurge(stdout);
        clearerr(stdout);
    } else if (target->stream)
        fclose(target->stream);
    target->stream = NULL;
}
