/* folders.c: lists the folders in which peers are searched. SPDX-License-Identifier: MIT */
#include "peer/library.h"

#include "base/spawn.h"
#include "base/str.h"

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

/* Adds a root and its subfolders in which unpacked packages and wheels have their libraries. */
static void add_root(struct list *list, const char *root)
{
    if (!*root)
        return;
    add(list, gr_strdup(root));
    add(list, gr_printf("%s/lib", root));
    add(list, gr_printf("%s/lib64", root));
    add(list, gr_printf("%s/usr/lib/" MULTIARCH, root));
    add(list, gr_printf("%s/usr/lib", root));
}

static void add_roots(struct list *list, const char *roots)
{
    char *copy = gr_strdup(roots), *rest = NULL;
    for (char *root = copy ? strtok_r(copy, ":", &rest) : NULL; root;
         root = strtok_r(NULL, ":", &rest))
        add_root(list, root);
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

char **gr_peer_folders(void)
{
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    const char *requested = getenv("GRADUS_PEERS");
    add_roots(list, requested ? requested : "");
    add_root(list, GRADUS_PEERS_DIR);
    add_folder_of_program(list);
    static const char *const python[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        if (getenv(python[i]))
            add(list, gr_printf("%s/lib", getenv(python[i])));
    return list->folders; /* the first member, so that freeing it frees the list */
}

void gr_peer_folders_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++)
        free(*folder);
    free(folders);
}
