/* output_temporary.c: makes and removes files that processes write together.
 * SPDX-License-Identifier: MIT */
#include "files/output_temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "NAME.tmp.PID" */
static bool is_one_of(const char *entry, const char *name)
{
    static const char infix[] = ".tmp.";
    const size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || strncmp(entry + length, infix, sizeof infix - 1) != 0)
        return false;
    const char *const pid = entry + length + sizeof infix - 1;
    return *pid && pid[strspn(pid, "0123456789")] == 0;
}

/* The lock is held while it is removed, so that its maker notices (see create). */
static void remove_if_unlocked(int folder, const char *entry)
{
    const int file = openat(folder, entry, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, entry, 0);
    close(file);
}

void gr_output_temporary_sweep(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    char folder[PATH_MAX] = ".";
    if (slash && (size_t)(slash - path) + 1 < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = 0;
    } else if (slash)
        return;
    DIR *const entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (is_one_of(entry->d_name, name))
            remove_if_unlocked(dirfd(entries), entry->d_name);
    closedir(entries);
}

/* Between its making and its lock another process may have taken it for one that was left. */
static bool was_removed(int file)
{
    struct stat found;
    const bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK)
        return true;
    return fstat(file, &found) == 0 && found.st_nlink == 0;
}

FILE *gr_output_temporary_create(const char *temporary)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        FILE *const stream = fopen(temporary, "wxbe");
        if (!stream || !was_removed(fileno(stream)))
            return stream;
        fclose(stream);
    }
    errno = EBUSY;
    return NULL;
}
