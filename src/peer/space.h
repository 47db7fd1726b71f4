/* space.h: a link namespace of its own for one foreign library (dlmopen). What is loaded there sees
 * only the C library of that namespace and what is loaded beside it: none of its calls reaches our
 * symbols. SPDX-License-Identifier: MIT */
#ifndef PEER_SPACE_H
#define PEER_SPACE_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_space {
    long id; /* an Lmid_t */
    int (*set)(const char *name, const char *value, int overwrite);
    int (*unset)(const char *name);
};

/* A new namespace with a C library in it. UNSUPPORTED when the loader has none left. */
enum gradus_status gr_space_open(struct gr_space *space, struct gradus_error *error);
/* The namespace that the program itself is in. */
void gr_space_of_program(struct gr_space *space);

/* Sets a variable in the environment of the namespace's own C library; a null value removes it. The
 * namespace starts with a copy of our environment; later changes here are not seen there, nor the
 * other way round. */
void gr_space_setenv(struct gr_space *space, const char *name, const char *value);

/* Loads `file`. When it is a path, the libraries it needs are looked for in its own folder and in
 * `folders` (null-terminated) before the loader looks in its own places. UNSUPPORTED with the
 * loader's words. */
enum gradus_status gr_space_load(struct gr_space *space, const char *file,
                                 const char *const *folders, void **library,
                                 struct gradus_error *error);

/* The file that a loaded library came from; a pointer into the loader's own table. */
const char *gr_space_path(void *library);

/* Calls `visit` with the name of each library that the ELF file `path` asks for (DT_NEEDED), in the
 * file's order. A file that is no 64-bit ELF of this byte order, or a damaged one, has none. */
void gr_elf_needed(const char *path, void (*visit)(void *context, const char *name), void *context);

#endif
