/* cuda_folders.c: lists the folders in which NVIDIA's libraries may be installed.
 * SPDX-License-Identifier: MIT */
#include "gpu/cuda_folders.h"

#include "base/str.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__aarch64__)
#define TARGET "sbsa-linux"
#else
#define TARGET "x86_64-linux"
#endif

enum { FOLDERS = 96 };

struct list {
    char *folders[FOLDERS + 1];
    int count;
};

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Adds every folder that matches the pattern. */
static void add_matches(struct list *list, const char *pattern)
{
    glob_t found = {0};
    if (pattern && glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && list->count < FOLDERS; i++)
            if (is_folder(found.gl_pathv[i]))
                list->folders[list->count++] = gr_strdup(found.gl_pathv[i]);
    globfree(&found);
}

/* Adds `root` with each suffix of `endings`. */
static void add_below(struct list *list, const char *root, const char *const *endings)
{
    for (; root && *root && *endings; endings++) {
        char *pattern = gr_printf("%s/%s", root, *endings);
        add_matches(list, pattern);
        free(pattern);
    }
}

char **gr_cuda_folders(void)
{
    static const char *const toolkit[] = {"lib64", "targets/" TARGET "/lib", "lib", 0};
    static const char *const python[] = {"lib/python3*/site-packages/nvidia/*/lib",
                                         "lib/python3*/dist-packages/nvidia/*/lib",
                                         "lib/python3/dist-packages/nvidia/*/lib", "lib", 0};
    static const char *const packages[] = {"lib/python3*/site-packages/nvidia/*/lib",
                                           "lib/python3*/dist-packages/nvidia/*/lib",
                                           "lib/python3/dist-packages/nvidia/*/lib", 0};
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    add_below(list, getenv("CUDA_HOME"), toolkit);
    add_below(list, getenv("CUDA_PATH"), toolkit);
    add_below(list, getenv("VIRTUAL_ENV"), python);
    add_below(list, getenv("CONDA_PREFIX"), python);
    char *local = getenv("HOME") ? gr_printf("%s/.local", getenv("HOME")) : NULL;
    add_below(list, local, packages);
    free(local);
    add_below(list, "/usr/local/cuda*", toolkit);
    add_below(list, "/opt/cuda", toolkit);
    add_below(list, "/usr/lib/cuda", toolkit);
    add_below(list, "/usr/local", packages);
    add_below(list, "/usr", packages);
    return list->folders; /* the first member, so that freeing it frees the list */
}

void gr_cuda_folders_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++)
        free(*folder);
    free(folders);
}
