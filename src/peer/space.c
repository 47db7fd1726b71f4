/* space.c: link namespaces. SPDX-License-Identifier: MIT */
#include "peer/space.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Libraries that belong to the namespace's C library. They are always loaded from the loader's
 * path, because two versions of them cannot work together. */
static const char *const loader_owned[] = {"libc.so",  "libm.so",  "libdl.so",    "libpthread.so",
                                           "librt.so", "ld-linux", "libresolv.so"};

/* dlsym returns a void *, which C cannot cast to a function pointer; POSIX allows this form. */
#define BIND(pointer, library, name) (*(void **)&(pointer) = dlsym(library, name))

/* The values of pthread keys are stored in the thread, indexed by the key's number, and every C
 * library of the process numbers its keys from 0. Two libraries in different namespaces that
 * create a key each would therefore share one slot. So each namespace gets numbers of its own:
 * keys are created until the next one has the first number of its range. All numbers stay below
 * 32, because values of higher keys need memory, which one C library would allocate and another
 * one free. */
static void keep_keys_apart(void *libc)
{
    enum { PROGRAM_KEYS = 8, KEYS = 3, INLINE_KEYS = 32 };
    static atomic_int spaces;
    int (*create)(unsigned *key, void (*destroy)(void *value));
    BIND(create, libc, "pthread_key_create");
    int first = PROGRAM_KEYS + KEYS * atomic_fetch_add(&spaces, 1);
    for (unsigned key = 0; create && first + KEYS <= INLINE_KEYS && key + 1 < (unsigned)first;)
        if (create(&key, NULL) != 0)
            return;
}

/* A new C library uses the same array as our environment, and would change our variables in
 * place. Adding a variable that does not exist makes it copy the array. */
static void part_environments(struct gr_space *space)
{
    char name[48];
    snprintf(name, sizeof name, "GRADUS_PEER_NAMESPACE_%ld", space->id);
    space->set(name, "1", 1);
}

enum gradus_status gr_space_open(struct gr_space *space, struct gradus_error *error)
{
    void *libc = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!libc)
        return gr_fail(error, GRADUS_UNSUPPORTED, "no new link namespace: %s", dlerror());
    Lmid_t id;
    if (dlinfo(libc, RTLD_DI_LMID, &id) != 0)
        return gr_fail(error, GRADUS_UNSUPPORTED, "no new link namespace: %s", dlerror());
    space->id = id;
    BIND(space->set, libc, "setenv");
    BIND(space->unset, libc, "unsetenv");
    if (!space->set || !space->unset)
        return gr_fail(error, GRADUS_UNSUPPORTED, "the C library of a new namespace has no setenv");
    BIND(space->init_ctype, libc, "__ctype_init");
    keep_keys_apart(libc);
    part_environments(space);
    return GRADUS_OK;
}

/* The tables behind isdigit() and strtol() are found through a pointer of each thread, which the
 * C library sets in threads that it has created itself. */
void gr_space_enter_thread(const struct gr_space *space)
{
    if (space->init_ctype)
        space->init_ctype();
}

void gr_space_of_program(struct gr_space *space)
{
    *space = (struct gr_space){.id = LM_ID_BASE, .set = setenv, .unset = unsetenv};
}

void gr_space_setenv(struct gr_space *space, const char *name, const char *value)
{
    if (value)
        space->set(name, value, 1);
    else
        space->unset(name);
}

struct needs {
    struct gr_space *space;
    const char *const *folders;
    const char *same_folder; /* the folder of the library that depends on them */
    char **reason; /* why the first dependency that was found could not be loaded; malloc'ed */
    int depth;
};

static void load_needed(void *context, const char *name);

static void load_needs_of(struct gr_space *space, const char *path, const char *const *folders,
                          char **reason, int depth)
{
    const char *slash = strrchr(path, '/');
    char *same_folder = slash ? gr_strndup(path, (size_t)(slash - path)) : NULL;
    struct needs needs = {space, folders, same_folder, reason, depth};
    if (same_folder)
        gr_elf_needed(path, load_needed, &needs);
    free(same_folder);
}

static bool load_from(const struct needs *needs, const char *folder, const char *name)
{
    char *path = gr_printf("%s/%s", folder, name);
    bool loaded = false;
    if (path && gr_file_exists(path)) {
        load_needs_of(needs->space, path, needs->folders, needs->reason, needs->depth + 1);
        loaded = dlmopen(needs->space->id, path, RTLD_NOW | RTLD_LOCAL) != NULL;
        if (!loaded && !*needs->reason)
            *needs->reason = gr_strdup(dlerror());
    }
    free(path);
    return loaded;
}

/* The loader reads LD_LIBRARY_PATH only when the process starts. So a dependency that was
 * unpacked beside a peer is loaded by its path first; the loader then finds it in the namespace
 * by its soname. */
static void load_needed(void *context, const char *name)
{
    enum { DEEP = 8 }; /* deeper chains are left to the loader's own search */
    const struct needs *needs = context;
    for (size_t i = 0; i < sizeof loader_owned / sizeof *loader_owned; i++)
        if (gr_starts_with(name, loader_owned[i]))
            return;
    if (needs->depth >= DEEP || load_from(needs, needs->same_folder, name))
        return;
    for (const char *const *folder = needs->folders; folder && *folder; folder++)
        if (load_from(needs, *folder, name))
            return;
}

enum gradus_status gr_space_load(struct gr_space *space, const char *file,
                                 const char *const *folders, void **library,
                                 struct gradus_error *error)
{
    char *reason = NULL;
    load_needs_of(space, file, folders, &reason, 0);
    *library = dlmopen(space->id, file, RTLD_NOW | RTLD_LOCAL);
    enum gradus_status status = GRADUS_OK;
    if (!*library) {
        const char *text = dlerror();
        const char *named = gr_starts_with(text, file) ? "" : file;
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s%s%s%s%s%s", named, *named ? ": " : "", text,
                         reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
    }
    free(reason);
    return status;
}

const char *gr_space_path(void *library)
{
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name)
        return "";
    return map->l_name;
}
