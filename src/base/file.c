/* file.c: reads files, and writes them so that they appear completely or not at all.
 * SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/rng.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Paths to remove when a signal ends the program. The table and its buffers have a fixed size,
 * because a signal handler may neither allocate nor read a string that is being freed. */
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

/* Files are removed first, then the folders that contained them. */
void gr_file_remove_pending(void)
{
    for (int i = 0; i < 2 * PENDING; i++) {
        if (atomic_load(&pending[i % PENDING].state) != 2)
            continue;
        const char *path = pending[i % PENDING].path;
        if (i < PENDING)
            unlink(path);
        else
            rmdir(path);
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
        fclose(f); /* /dev/zero never ends */
        return gr_fail(error, GRADUS_INVALID, "%s: found a device, wanted a file", path);
    }
    struct gr_str s = {0};
    char block[8192];
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

/* ---- A file that appears completely or not at all. ---- */

/* A template ".../name.tmp.XXXXXX" for mkstemp. */
static bool name_temporary(struct gr_file_out *out)
{
    free(out->temporary);
    out->temporary = gr_printf("%s.tmp.XXXXXX", out->path);
    return out->temporary != NULL;
}

/* Opens an unnamed file, which the system removes when the process ends. It can be given a name
 * as long as /proc is mounted. -1 if the file system or the kernel does not support such files. */
static int open_nameless(const char *path)
{
    char *folder = gr_strdup(path), link[64];
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = 0;
    int fd = folder ? open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    free(folder);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd >= 0 && !gr_file_exists(link)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_named(struct gr_file_out *out)
{
    int fd = name_temporary(out) ? mkostemp(out->temporary, O_CLOEXEC) : -1;
    if (fd == -1) {
        free(out->temporary);
        out->temporary = NULL;
        return -1;
    }
    out->slot = gr_file_note_pending(out->temporary);
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fd;
}

/* The target of the symbolic link at `path`; null with errno. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = 0;
    const char *const slash = strrchr(path, '/');
    return *target == '/' || !slash ? gr_strdup(target)
                                    : gr_printf("%.*s/%s", (int)(slash - path), path, target);
}

char *gr_path_behind_links(const char *path)
{
    enum { MOST = 40 }; /* as many as Linux follows */
    char *at = gr_strdup(path);
    struct stat found;
    for (int i = 0; at && lstat(at, &found) == 0 && S_ISLNK(found.st_mode); i++) {
        char *const next = i < MOST ? read_link(at) : NULL;
        if (i == MOST)
            errno = ELOOP;
        const int reason = errno;
        free(at);
        errno = reason;
        at = next;
    }
    return at;
}

/* Is it a regular file with a name that a rename can replace? A link of /proc to a deleted file
 * leads to a name that the file no longer has. */
static bool is_replaceable(const struct stat *old, const char *name)
{
    struct stat named;
    return S_ISREG(old->st_mode) && stat(name, &named) == 0 && named.st_dev == old->st_dev &&
           named.st_ino == old->st_ino;
}

static enum gradus_status cannot_open(struct gr_file_out *out, int reason,
                                      struct gradus_error *error)
{
    const enum gradus_status status =
        gr_fail(error, GRADUS_IO, "%s: cannot write there: %s", out->path, strerror(reason));
    gr_file_out_abandon(out);
    return status;
}

/* A rename would replace a device or a pipe by a file. */
static enum gradus_status open_in_place(struct gr_file_out *out, struct gradus_error *error)
{
    out->in_place = true;
    out->stream = fopen(out->path, "wbe");
    return out->stream ? GRADUS_OK : cannot_open(out, errno, error);
}

static enum gradus_status open_new(struct gr_file_out *out, const struct stat *old,
                                   struct gradus_error *error)
{
    const char *const path = out->path;
    int fd = open_nameless(path);
    if (fd == -1)
        fd = open_named(out);
    if (fd == -1)
        return cannot_open(out, errno, error);
    if (old)
        fchmod(fd, old->st_mode & 07777);
    out->stream = fdopen(fd, "wb");
    if (!out->stream) {
        const int reason = errno;
        close(fd);
        return cannot_open(out, reason, error);
    }
    return GRADUS_OK;
}

enum gradus_status gr_file_out_open(struct gr_file_out *out, const char *path,
                                    struct gradus_error *error)
{
    *out = (struct gr_file_out){.slot = -1, .path = gr_strdup(path)};
    if (!out->path)
        return gr_fail_memory(error, path, strlen(path));
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        gr_file_out_abandon(out);
        return gr_fail(error, GRADUS_INVALID, "%s: found a directory, wanted a file to write",
                       path);
    }
    char *const behind = gr_path_behind_links(path);
    if (exists && !(behind && is_replaceable(&old, behind))) {
        free(behind);
        return open_in_place(out, error);
    }
    if (!behind)
        return cannot_open(out, errno, error);
    free(out->path);
    out->path = behind;
    return open_new(out, exists ? &old : NULL, error);
}

/* Links the unnamed file to its name at once if the name is free. An existing file can only be
 * replaced by a rename, which needs a temporary name. */
static bool give_name(struct gr_file_out *out, int fd)
{
    enum { TRIES = 100, LETTERS = 6 };
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, link, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST || !name_temporary(out))
        return false;
    struct gr_rng rng = {(uint64_t)gr_now_ns() ^ (uint64_t)getpid() << 32};
    char *ending = out->temporary + strlen(out->temporary) - LETTERS;
    bool linked = false;
    for (int i = 0; i < TRIES && !linked; i++) {
        uint64_t bits = gr_rng_next(&rng);
        for (int j = 0; j < LETTERS; j++, bits >>= 5)
            ending[j] = "abcdefghijklmnopqrstuvwxyz012345"[bits & 31];
        gr_file_forget(out->slot);
        out->slot = gr_file_note_pending(out->temporary);
        linked = linkat(AT_FDCWD, link, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!linked && errno != EEXIST)
            break;
    }
    if (!linked) {
        const int reason = errno;
        gr_file_forget(out->slot); /* the name may now belong to a file of another process */
        out->slot = -1;
        free(out->temporary);
        out->temporary = NULL;
        errno = reason;
    }
    return linked;
}

/* Some file systems and containers allow unnamed files but cannot link them to a name; the
 * content is copied then. */
static bool copy_to_name(struct gr_file_out *out, int from)
{
    struct stat about;
    char block[8192];
    const int fd = fstat(from, &about) == 0 ? open_named(out) : -1;
    bool good = fd >= 0 && fchmod(fd, about.st_mode & 07777) == 0;
    for (off_t at = 0; good && at < about.st_size;) {
        const ssize_t got = pread(from, block, sizeof block, at);
        good = got > 0 && write(fd, block, (size_t)got) == got;
        at += good ? got : 0;
    }
    good = good && fsync(fd) == 0;
    const int number = errno;
    if (fd >= 0)
        close(fd);
    errno = number;
    return good;
}

/* Is this a failure to link that a copy avoids? */
static bool may_copy(int number)
{
    return number == EPERM || number == EOPNOTSUPP || number == ENOSYS || number == EXDEV ||
           number == EACCES || number == ENOENT || number == EMLINK;
}

/* A pipe or a terminal cannot be synced, and it has its name. False with the first error. */
static bool finish_in_place(struct gr_file_out *out, int *reason)
{
    errno = 0;
    bool good = fflush(out->stream) == 0 && !ferror(out->stream);
    *reason = errno;
    __fpurge(out->stream);
    if (fclose(out->stream) != 0 && good) {
        good = false;
        *reason = errno;
    }
    out->stream = NULL;
    return good;
}

/* False with the first error. */
static bool finish(struct gr_file_out *out, int *reason)
{
    const int fd = fileno(out->stream);
    bool good =
        fflush(out->stream) == 0 && !ferror(out->stream) && fsync(fd) == 0 &&
        (out->temporary || give_name(out, fd) || (may_copy(errno) && copy_to_name(out, fd)));
    *reason = errno;
    if (fclose(out->stream) != 0 && good) {
        good = false;
        *reason = errno;
    }
    out->stream = NULL;
    if (good && out->temporary && rename(out->temporary, out->path) != 0) {
        good = false;
        *reason = errno;
    }
    return good;
}

enum gradus_status gr_file_out_commit(struct gr_file_out *out, struct gradus_error *error)
{
    int reason = 0;
    enum gradus_status status = GRADUS_OK;
    const bool good = out->in_place ? finish_in_place(out, &reason) : finish(out, &reason);
    if (!good)
        status = gr_fail(error, GRADUS_IO, "%s: could not be written: %s", out->path,
                         reason ? strerror(reason) : "write error");
    else {
        free(out->temporary);
        out->temporary = NULL;
    }
    gr_file_out_abandon(out);
    return status;
}

void gr_file_out_abandon(struct gr_file_out *out)
{
    if (out->stream && out->in_place)
        __fpurge(out->stream); /* what was not sent yet is dropped */
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
    fwrite(text, 1, length, out.stream); /* gr_file_out_commit checks the stream's error flag */
    return gr_file_out_commit(&out, error);
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
        const int number = mkdir(copy, 0777) != 0 ? errno : 0;
        if (number && !(stat(copy, &st) == 0 && S_ISDIR(st.st_mode)))
            status = gr_fail(error, GRADUS_IO, "%s: cannot make this directory: %s", copy,
                             strerror(number == EEXIST ? ENOTDIR : number));
        *p = keep;
        if (!keep)
            break;
    }
    free(copy);
    return status;
}

const char *gr_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
