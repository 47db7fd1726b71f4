/* space.h: a link namespace for one foreign library (dlmopen). What is loaded into it sees only
 * the namespace's own C library and other libraries loaded there, so that none of its calls
 * reaches our symbols. SPDX-License-Identifier: MIT */
#ifndef PEER_SPACE_H
#define PEER_SPACE_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_space {
    long id; /* an Lmid_t */
    int (*set)(const char *name, const char *value, int overwrite);
    int (*unset)(const char *name);
    void (*init_ctype)(void); /* null for the namespace of the program */
};

/* Creates a namespace with a C library in it. UNSUPPORTED if the loader has none left. */
enum gradus_status gr_space_open(struct gr_space *space, struct gradus_error *error);
/* Refers to the namespace of the program itself. */
void gr_space_of_program(struct gr_space *space);

/* Sets an environment variable in the namespace's own C library; a null value removes it. The
 * namespace starts with a copy of our environment; later changes in one are not visible in the
 * other. */
void gr_space_setenv(struct gr_space *space, const char *name, const char *value);

/* Prepares the calling thread, which another C library has created, for calls into the
 * namespace. */
void gr_space_enter_thread(const struct gr_space *space);

/* Loads `file`. If it is a path, its dependencies are searched in its own folder and in
 * `folders` (null-terminated) before the loader's path. UNSUPPORTED: the text names the file and
 * has the loader's message, and if a dependency was found and not loaded, the reason for that. */
enum gradus_status gr_space_load(struct gr_space *space, const char *file,
                                 const char *const *folders, void **library,
                                 struct gradus_error *error);

/* The file that a loaded library came from, as a pointer into the loader's own table. */
const char *gr_space_path(void *library);

/* Calls `visit` with the name of each dependency (DT_NEEDED) of the ELF file `path`, in the
 * file's order. A file that is damaged, or that is not a 64-bit ELF file of this byte order, has
 * none. */
void gr_elf_needed(const char *path, void (*visit)(void *context, const char *name), void *context);

#endif
