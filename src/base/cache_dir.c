/* cache_dir.c: finds the cache folder. SPDX-License-Identifier: MIT */
#include "base/cache.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of this user in a directory that everybody may write to. A folder that another user
 * created there is not used. */
static char *own_folder(const char *root)
{
    struct stat found;
    char *path = gr_printf("%s/gradus-%u", root, (unsigned)geteuid());
    if (path && (mkdir(path, 0700) == 0 || gr_file_exists(path)) && lstat(path, &found) == 0 &&
        S_ISDIR(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 022) &&
        access(path, W_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *temporary_cache(struct gradus_error *error)
{
    const char *requested = getenv("TMPDIR");
    const char *const roots[] = {requested && *requested == '/' ? requested : "/tmp", "/tmp",
                                 "/var/tmp"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        char *path = own_folder(roots[i]);
        if (path)
            return path;
    }
    gr_fail(error, GRADUS_IO,
            "%.200s/gradus-%u: found no folder that is yours alone, nor can one be made there: "
            "set XDG_CACHE_HOME to a folder that you may write",
            roots[0], (unsigned)geteuid());
    return NULL;
}

enum gradus_status gr_cache_dir_fallback(const char *below, char **path, struct gradus_error *error)
{
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
    free(*path); /* no home, or a read-only one, as in many containers */
    return gr_cache_dir_fallback(below, path, error);
}
