/* folders.c: lists the folders in which peers are searched. SPDX-License-Identifier: MIT */
#include "peer/library.h"

#include "base/spawn.h"
#include "base/str.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef GRADUS_PEERS_DIR
#define GRADUS_PEERS_DIR ""
#endif

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "lib"
#endif

enum { FOLDERS = 64 };

struct list {
    char *folders[FOLDERS + 1];
    int count;
};

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Takes ownership of `path`, and ignores it if it is not a folder. */
static void add(struct list *list, char *path)
{
    if (path && *path && list->count < FOLDERS && is_folder(path))
        list->folders[list->count++] = path;
    else
        free(path);
}

/* A pattern of glob that matches `path` and nothing else. */
static char *as_pattern(const char *path)
{
    struct gr_str pattern = {0};
    for (; *path; path++)
        gr_str_printf(&pattern, "%s%c", strchr("*?[\\", *path) ? "\\" : "", *path);
    char *text = gr_strdup(gr_str_text(&pattern));
    gr_str_free(&pattern);
    return text;
}

/* Adds the folders of those PyPI wheels that keep their libraries among Python's modules. */
static void add_wheels(struct list *list, const char *root)
{
    char *start = as_pattern(root);
    char *pattern = start ? gr_printf("%s/lib/py*/site-packages/scipy_openblas*/lib", start) : NULL;
    glob_t found = {0};
    if (pattern && glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add(list, gr_strdup(found.gl_pathv[i]));
    globfree(&found);
    free(pattern);
    free(start);
}

/* Adds a root and its subfolders in which unpacked packages, wheels and Python environments have
 * their libraries. */
static void add_root(struct list *list, const char *root)
{
    if (!root || !*root)
        return;
    add(list, gr_strdup(root));
    add(list, gr_printf("%s/lib", root));
    add(list, gr_printf("%s/lib64", root));
    add(list, gr_printf("%s/usr/lib/" MULTIARCH, root));
    add(list, gr_printf("%s/usr/lib", root));
    add_wheels(list, root);
}

static void add_folder(struct list *list, const char *folder)
{
    add(list, gr_strdup(folder));
}

/* Adds each of a list of paths that are separated by colons. */
static void add_each(struct list *list, const char *paths,
                     void (*add_one)(struct list *list, const char *path))
{
    char *copy = gr_strdup(paths ? paths : ""), *rest = NULL;
    for (char *path = copy ? strtok_r(copy, ":", &rest) : NULL; path;
         path = strtok_r(NULL, ":", &rest))
        add_one(list, path);
    free(copy);
}

static void add_folder_of_program(struct list *list)
{
    char *self = gr_spawn_self_file(), *slash = self ? strrchr(self, '/') : NULL;
    const int length = slash ? (int)(slash - self) : 0;
    char *above = length ? gr_printf("%.*s/../peers", length, self) : NULL;
    char *same_folder = length ? gr_printf("%.*s/peers", length, self) : NULL;
    add_root(list, above ? above : "");
    add_root(list, same_folder ? same_folder : "");
    free(above);
    free(same_folder);
    free(self);
}

char **gr_peer_folders(unsigned places)
{
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    if (places & GR_PEERS_NAMED)
        add_each(list, getenv("GRADUS_PEERS"), add_root);
    if (places & GR_PEERS_ACTIVE) {
        add_root(list, getenv("VIRTUAL_ENV")); /* it may have been made with a conda's Python */
        add_root(list, getenv("CONDA_PREFIX"));
    }
    if (places & GR_PEERS_UNPACKED) {
        add_root(list, GRADUS_PEERS_DIR);
        add_folder_of_program(list);
    }
    if (places & GR_PEERS_LOADER)
        add_each(list, getenv("LD_LIBRARY_PATH"), add_folder);
    return list->folders; /* the first member, so that freeing it frees the list */
}

void gr_peer_folders_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++)
        free(*folder);
    free(folders);
}
