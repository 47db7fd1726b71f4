/* catalog.h: finds, reads and lists kernel files. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* Reads one kernel's text (front matter, signatures, picture). `path` is for messages, and its
 * extension decides the language (.c: C; .cu, .cuh, .hip, .hip.cpp: CUDA). A file without front
 * matter is read too. Its launch can be given by `extra` (may be null): lines in the grammar of
 * the front matter without the `//@`, made from options such as --grid, which are read after the
 * file's own lines and override them. INVALID: "path:line:column: what was found, what was
 * wanted". */
enum gradus_status gr_kernel_parse(const char *path, const char *text, const char *extra,
                                   struct gr_kernel **kernel, struct gradus_error *error);
enum gradus_status gr_kernel_read(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error);
/* The same without the parameters of its functions: only the front matter, and the file that
 * contains the kernel. */
enum gradus_status gr_kernel_open(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error);
/* The same for the file as it is given, wherever the kernel is. */
enum gradus_status gr_kernel_open_alone(const char *path, const char *extra,
                                        struct gr_kernel **kernel, struct gradus_error *error);
void gr_kernel_free(struct gr_kernel *kernel);
/* Is it a CUDA or HIP file? It is if its extension is .cu, .cuh, .hip or .hip.cpp, or if it is a
 * C++ file that contains kernels or includes HIP's header. */
bool gr_is_cuda_path(const char *path);
/* INVALID if a file of that name cannot contain a kernel; the message says what to do. */
enum gradus_status gr_path_kind_check(const char *path, struct gradus_error *error);
/* Is it the path of a kernel in C: NAME.c, or without an extension? */
bool gr_is_c_path(const char *path);

/* All kernels of one language, ordered by number. */
struct gr_catalog {
    struct gr_kernel **kernels;
    int count;
};

/* Loads the kernels of `directory` (all files of the language whose name starts with NN_), or
 * those in the binary if it is null. INVALID for two files with one number, an `after` that
 * names a missing or later kernel, or an error in any file. */
enum gradus_status gr_catalog_load(const char *directory, enum gr_language language,
                                   struct gr_catalog *catalog, struct gradus_error *error);
void gr_catalog_free(struct gr_catalog *catalog);
/* INVALID if the file's `after` line names neither a rung nor a kernel beside it. */
enum gradus_status gr_after_check(const struct gr_kernel *kernel, struct gradus_error *error);
/* Sorts kernels by number and checks them as gr_catalog_load does. */
enum gradus_status gr_catalog_order(struct gr_catalog *catalog, struct gradus_error *error);

/* The number of steps from a kernel back to the first one of its chain of `after` lines: 0 for a
 * kernel without `after`. A kernel beside the main ladder may have a high number and few steps. */
int gr_catalog_steps(const struct gr_catalog *catalog, const struct gr_kernel *kernel);

/* Finds a kernel by its full name ("03_cache_tile"), its number ("3", "03") or the name without
 * the number ("cache_tile"). NOT_FOUND suggests the closest name. */
enum gradus_status gr_catalog_find(const struct gr_catalog *catalog, const char *word,
                                   const struct gr_kernel **kernel, struct gradus_error *error);

/* A file embedded in the binary at build time ("kernels/cpu/ukr.h"), or null. */
struct gr_embedded {
    const char *path;
    const char *text;
    size_t length;
};
const struct gr_embedded *gr_embedded_find(const char *path);
/* The i-th embedded file, or null past the end. */
const struct gr_embedded *gr_embedded_at(int i);

#endif
