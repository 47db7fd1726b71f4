/* file.c: files. SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Paths to remove when a signal ends the program. A fixed table of fixed buffers: the handler may
 * neither allocate nor meet a half-freed string. */
enum { PENDING = 32, PENDING_PATH = 4096 };
static struct {
    atomic_int state; /* 0 free, 1 being filled, 2 live */
    char path[PENDING_PATH];
} pending[PENDING];

int gr_file_note_pending(const char *path)
{
    if (strlen(path) >= PENDING_PATH)
        return -1;
    for (int i = 0; i < PENDING; i++) {
        int free_state = 0;
        if (atomic_compare_exchange_strong(&pending[i].state, &free_state, 1)) {
            strcpy(pending[i].path, path);
            atomic_store(&pending[i].state, 2);
            return i;
        }
    }
    return -1;
}

void gr_file_forget(int slot)
{
    if (slot >= 0)
        atomic_store(&pending[slot].state, 0);
}

void gr_file_remove_pending(void)
{
    for (int i = PENDING; i-- > 0;) {
        if (atomic_load(&pending[i].state) != 2)
            continue;
        if (unlink(pending[i].path) == -1)
            rmdir(pending[i].path);
    }
}

enum gradus_status gr_file_read(const char *path, char **text, size_t *length,
                                struct gradus_error *error)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return gr_fail(error, errno == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO, "%s: %s", path,
                       strerror(errno));
    struct stat about;
    if (fstat(fileno(f), &about) == 0 && S_ISCHR(about.st_mode) && !isatty(fileno(f))) {
        fclose(f); /* /dev/zero has no end */
        return gr_fail(error, GRADUS_INVALID, "%s: found a device, wanted a file", path);
    }
    struct gr_str s = {0};
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, f)) > 0)
        gr_str_add_bytes(&s, block, got);
    int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed || s.failed) {
        gr_str_free(&s);
        return failed ? gr_fail(error, GRADUS_IO, "%s: %s", path, strerror(failed))
                      : gr_fail_memory(error, path, s.length);
    }
    gr_str_add(&s, "");
    *text = s.text;
    if (length)
        *length = s.length;
    return GRADUS_OK;
}

enum gradus_status gr_file_out_open(struct gr_file_out *out, const char *path,
                                    struct gradus_error *error)
{
    *out = (struct gr_file_out){.slot = -1};
    out->path = gr_strdup(path);
    out->temporary = gr_printf("%s.tmp.XXXXXX", path);
    if (!out->path || !out->temporary) {
        gr_file_out_abandon(out);
        return gr_fail_memory(error, path, strlen(path));
    }
    int fd = mkstemp(out->temporary);
    if (fd == -1) {
        int reason = errno;
        free(out->temporary);
        out->temporary = NULL;
        gr_file_out_abandon(out);
        return gr_fail(error, GRADUS_IO, "%s: cannot write there: %s", path, strerror(reason));
    }
    out->slot = gr_file_note_pending(out->temporary);
    mode_t mask = umask(0);
    umask(mask);
    struct stat old;
    fchmod(fd, stat(path, &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask);
    out->stream = fdopen(fd, "wb");
    if (!out->stream) {
        close(fd);
        gr_file_out_abandon(out);
        return gr_fail_memory(error, path, 0);
    }
    return GRADUS_OK;
}

enum gradus_status gr_file_out_commit(struct gr_file_out *out, struct gradus_error *error)
{
    bool bad = fflush(out->stream) != 0 || ferror(out->stream) || fsync(fileno(out->stream)) != 0;
    int reason = errno;
    bad |= fclose(out->stream) != 0;
    out->stream = NULL;
    if (!bad && rename(out->temporary, out->path) != 0) {
        reason = errno;
        bad = true;
    }
    enum gradus_status status = GRADUS_OK;
    if (bad)
        status =
            gr_fail(error, GRADUS_IO, "%s: could not be written: %s", out->path, strerror(reason));
    else {
        free(out->temporary);
        out->temporary = NULL;
    }
    gr_file_out_abandon(out);
    return status;
}

void gr_file_out_abandon(struct gr_file_out *out)
{
    if (out->stream)
        fclose(out->stream);
    if (out->temporary)
        unlink(out->temporary);
    gr_file_forget(out->slot);
    free(out->temporary);
    free(out->path);
    *out = (struct gr_file_out){.slot = -1};
}

enum gradus_status gr_file_write(const char *path, const char *text, size_t length,
                                 struct gradus_error *error)
{
    struct gr_file_out out;
    enum gradus_status status = gr_file_out_open(&out, path, error);
    if (status != GRADUS_OK)
        return status;
    fwrite(text, 1, length, out.stream); /* commit reads the stream's error flag */
    return gr_file_out_commit(&out, error);
}

enum gradus_status gr_file_temporary(const char *ending, char *path, size_t size, int *slot,
                                     struct gradus_error *error)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/gradus-XXXXXX%s", folder && *folder ? folder : "/tmp", ending);
    int fd = mkstemps(path, (int)strlen(ending));
    if (fd == -1)
        return gr_fail(error, GRADUS_IO, "%s: a temporary file cannot be made there", path);
    close(fd);
    *slot = gr_file_note_pending(path);
    return GRADUS_OK;
}

bool gr_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum gradus_status gr_dir_make(const char *path, struct gradus_error *error)
{
    char *copy = gr_strdup(path);
    if (!copy)
        return gr_fail_memory(error, path, strlen(path));
    enum gradus_status status = GRADUS_OK;
    for (char *p = copy + 1; status == GRADUS_OK; p++) {
        char keep = *p;
        if (keep != '/' && keep != 0)
            continue;
        *p = 0;
        struct stat st;
        if (mkdir(copy, 0777) != 0 && !(stat(copy, &st) == 0 && S_ISDIR(st.st_mode)))
            status = gr_fail(error, GRADUS_IO, "%s: cannot make this directory: %s", copy,
                             strerror(errno == EEXIST ? ENOTDIR : errno));
        *p = keep;
        if (!keep)
            break;
    }
    free(copy);
    return status;
}

/* A folder of this user's under the temporary one, which anybody may write: one that another has
 * put there first is not used. */
static char *temporary_cache(struct gradus_error *error)
{
    const char *folder = getenv("TMPDIR");
    struct stat found;
    char *path =
        gr_printf("%s/gradus-%u", folder && *folder == '/' ? folder : "/tmp", (unsigned)getuid());
    if (!path) {
        gr_fail_memory(error, "a cache path", 0);
        return NULL;
    }
    bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    if (made && lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == getuid() &&
        !(found.st_mode & 022))
        return path;
    gr_fail(error, GRADUS_IO,
            "%s: found no folder that is yours alone, nor can one be made there: "
            "set XDG_CACHE_HOME to a folder that you may write",
            path);
    free(path);
    return NULL;
}

enum gradus_status gr_cache_dir(const char *below, char **path, struct gradus_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *path = NULL;
    if (cache && *cache == '/')
        *path = gr_printf("%s/gradus/%s", cache, below);
    else if (home && *home == '/')
        *path = gr_printf("%s/.cache/gradus/%s", home, below);
    if (*path && gr_dir_make(*path, NULL) == GRADUS_OK && access(*path, W_OK) == 0)
        return GRADUS_OK;
    free(*path); /* a home that is not there, or read-only, as in many a container */
    *path = NULL;
    char *folder = temporary_cache(error);
    if (!folder)
        return GRADUS_IO;
    *path = gr_printf("%s/%s", folder, below);
    free(folder);
    enum gradus_status status =
        *path ? gr_dir_make(*path, error) : gr_fail_memory(error, "a cache path", 0);
    if (status != GRADUS_OK) {
        free(*path);
        *path = NULL;
    }
    return status;
}

const char *gr_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
