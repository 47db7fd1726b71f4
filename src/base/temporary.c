/* temporary.c: temporary files are in a folder per process, which a file lock protects. The lock
 * of a killed process is released even if its process id is reused, so its folder can be
 * recognized and removed. SPDX-License-Identifier: MIT */
#include "base/temporary.h"

#include "core/error.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char prefix[] = "gradus-tmp-", lock_name[] = "lock";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Valid while `files` is above 0. */
static struct {
    char path[PATH_MAX];
    int lock, slots[2];
    int files, made;
} folder;
static char note[512];

/* ---- Removal. ---- */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Empties the folder that `at` is open for. `levels` bounds the recursion, whose stack may be that
 * of a signal handler. Async-signal-safe, unlike nftw. */
static void empty(int at, int levels)
{
    _Alignas(struct dirent64) char block[2048];
    for (ssize_t got; (got = getdents64(at, block, sizeof block)) > 0;) {
        for (ssize_t i = 0; i < got;) {
            const struct dirent64 *e = (const struct dirent64 *)(block + i);
            i += e->d_reclen;
            if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
                continue;
            if (unlinkat(at, e->d_name, 0) == 0 || levels == 0)
                continue;
            const int below =
                openat(at, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0) {
                empty(below, levels - 1);
                close(below);
            }
            unlinkat(at, e->d_name, AT_REMOVEDIR);
        }
    }
}

void gr_temporary_remove_all(void)
{
    enum { LEVELS = 8 };
    if (folder.files == 0)
        return;
    const int at = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return;
    empty(at, LEVELS);
    close(at);
    rmdir(folder.path);
}

/* Has the folder's process ended? Then `*lock` is held by us. A folder that is being created may
 * not have a lock yet. */
static bool is_left(const char *path, int *lock)
{
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
        return false;
    char *name = gr_printf("%s/%s", path, lock_name);
    *lock = name ? open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    free(name);
    const time_t hour = 3600;
    if (*lock < 0)
        return errno == ENOENT && time(NULL) - about.st_mtime > hour;
    return flock(*lock, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(const char *root)
{
    DIR *entries = opendir(root);
    for (struct dirent *e; entries && (e = readdir(entries));) {
        char *path = gr_starts_with(e->d_name, prefix) ? gr_printf("%s/%s", root, e->d_name) : NULL;
        int lock = -1;
        if (path && is_left(path, &lock))
            remove_folder(path);
        if (lock >= 0)
            close(lock);
        free(path);
    }
    if (entries)
        closedir(entries);
}

/* ---- Creation. ---- */

/* Another process may have mistaken the new folder for an abandoned one and removed the lock
 * before we held it. */
static bool take_lock(const char *path)
{
    struct stat held, there;
    char name[PATH_MAX + sizeof lock_name + 1];
    snprintf(name, sizeof name, "%s/%s", path, lock_name);
    folder.lock = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (folder.lock < 0)
        return false;
    if ((flock(folder.lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
        fstat(folder.lock, &held) != 0 || stat(name, &there) != 0 || held.st_ino != there.st_ino) {
        close(folder.lock);
        return false;
    }
    folder.slots[0] = gr_file_note_pending(path);
    folder.slots[1] = gr_file_note_pending(name);
    return true;
}

/* Returns 0 or an errno value. */
static int make_in(const char *root)
{
    enum { TRIES = 3 };
    int number = 0;
    for (int i = 0; i < TRIES; i++) {
        if (snprintf(folder.path, sizeof folder.path, "%s/%sXXXXXX", root, prefix) >=
            (int)sizeof folder.path - 64)
            return ENAMETOOLONG;
        if (!mkdtemp(folder.path))
            return errno;
        if (take_lock(folder.path)) {
            sweep(root);
            return 0;
        }
        number = errno;
        remove_folder(folder.path);
    }
    return number ? number : EBUSY;
}

static bool forbids_programs(const char *root)
{
    struct statvfs about;
    return statvfs(root, &about) == 0 && (about.f_flag & ST_NOEXEC);
}

/* If TMPDIR cannot be used the other folders are tried, as compilers do. A folder that forbids
 * executing programs is used if there is no better one. */
static enum gradus_status make_folder(struct gradus_error *error)
{
    const char *requested = getenv("TMPDIR"), *home = getenv("HOME");
    char *cache = home && *home == '/' ? gr_printf("%s/.cache", home) : NULL;
    const char *const roots[] = {requested && *requested ? requested : NULL, "/tmp", "/var/tmp",
                                 cache};
    enum { ROOTS = sizeof roots / sizeof *roots };
    int reasons[ROOTS] = {0}, taken = -1;
    for (int i = 0; i < 2 * ROOTS && taken < 0; i++) {
        const char *root = roots[i % ROOTS];
        if (!root || (i < ROOTS && forbids_programs(root)))
            reasons[i % ROOTS] = EACCES;
        else if ((reasons[i % ROOTS] = make_in(root)) == 0)
            taken = i % ROOTS;
    }
    if (taken > 0 && roots[0])
        snprintf(note, sizeof note, "TMPDIR=%.200s: %s: temporary files are put in %.200s",
                 roots[0],
                 forbids_programs(roots[0]) ? "programs may not be run from there (noexec)"
                                            : strerror(reasons[0]),
                 roots[taken]);
    const int first = roots[0] ? 0 : 1;
    if (taken < 0)
        gr_fail(error, GRADUS_IO,
                "%.200s: no temporary file can be made there: %s, nor in /tmp or /var/tmp: set "
                "TMPDIR to a "
                "folder that you may write",
                roots[first], strerror(reasons[first]));
    free(cache);
    return taken < 0 ? GRADUS_IO : GRADUS_OK;
}

static void give_up_folder(void)
{
    remove_folder(folder.path);
    for (int i = 0; i < 2; i++)
        gr_file_forget(folder.slots[i]);
    close(folder.lock);
}

static enum gradus_status make_file(const char *ending, char *path, size_t size, int *slot,
                                    struct gradus_error *error)
{
    if (folder.files == 0) {
        enum gradus_status status = make_folder(error);
        if (status != GRADUS_OK)
            return status;
    }
    const bool fits =
        snprintf(path, size, "%s/gradus-%d%s", folder.path, ++folder.made, ending) < (int)size;
    const int fd = fits ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700) : -1;
    const int number = fits ? errno : ENAMETOOLONG;
    if (fd < 0) {
        if (folder.files == 0)
            give_up_folder();
        *path = 0;
        return gr_fail(error, GRADUS_IO, "%.200s: no temporary file can be made there: %s",
                       folder.path, strerror(number));
    }
    close(fd);
    folder.files++;
    *slot = gr_file_note_pending(path);
    return GRADUS_OK;
}

enum gradus_status gr_temporary_make(const char *ending, char *path, size_t size, int *slot,
                                     struct gradus_error *error)
{
    sigset_t signals;
    *path = 0;
    *slot = -1;
    pthread_mutex_lock(&mutex);
    gr_cleanup_begin_entry(&signals);
    enum gradus_status status = make_file(ending, path, size, slot, error);
    gr_cleanup_end_entry(&signals);
    pthread_mutex_unlock(&mutex);
    return status;
}

enum gradus_status gr_temporary_fill(const char *path, const char *text, size_t length,
                                     struct gradus_error *error)
{
    FILE *f = fopen(path, "wbe");
    bool bad = !f || fwrite(text, 1, length, f) != length;
    int number = errno;
    if (f && fclose(f) != 0 && !bad) {
        bad = true;
        number = errno;
    }
    return bad ? gr_fail(error, GRADUS_IO, "%s: could not be written: %s", path, strerror(number))
               : GRADUS_OK;
}

void gr_temporary_remove(const char *path, int slot)
{
    if (!*path)
        return;
    pthread_mutex_lock(&mutex);
    unlink(path);
    gr_file_forget(slot);
    if (--folder.files == 0)
        give_up_folder();
    pthread_mutex_unlock(&mutex);
}

/* ---- The interface. ---- */

char **gr_temporary_environment(void)
{
    int count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = folder.files > 0 ? calloc((size_t)count + 2, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    for (int i = 0; i < count; i++)
        if (!gr_starts_with(environ[i], "TMPDIR=") && (copy[kept] = gr_strdup(environ[i])))
            kept++;
    copy[kept] = gr_printf("TMPDIR=%s", folder.path);
    return copy;
}

void gr_temporary_environment_free(char **environment)
{
    for (int i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

const char *gr_temporary_note(void)
{
    return *note ? note : NULL;
}
