/* catalog.h: kernel files, found, read and listed. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* Reads one kernel's text (front matter, signatures, picture). `path` is for messages and decides
 * the language by its extension (.c: C; .cu, .cuh, .hip, .hip.cpp: CUDA). A file without front
 * matter is read too; its launch facts then come from `extra`, lines in the same grammar without
 * the `//@` (from --grid and the like; may be null), which come after the file's own lines and
 * override them. Errors: INVALID, "path:line:column: what was found, what was wanted". */
enum gradus_status gr_kernel_parse(const char *path, const char *text, const char *extra,
                                   struct gr_kernel **kernel, struct gradus_error *error);
enum gradus_status gr_kernel_read(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error);
/* The same without its functions' parameters: front matter, and the file that holds the kernel. */
enum gradus_status gr_kernel_open(const char *path, const char *extra, struct gr_kernel **kernel,
                                  struct gradus_error *error);
void gr_kernel_free(struct gr_kernel *kernel);
/* Its name is one that files in CUDA C have: .cu, .cuh, .hip, .hip.cpp; or it is C++ by its name
 * and has kernels in it, or HIP's header, as many files in HIP. */
bool gr_is_cuda_path(const char *path);

/* All kernels of one language, ordered by number. */
struct gr_catalog {
    struct gr_kernel **kernels;
    int count;
};

/* From `directory` (all files there that the language's extension fits and whose name starts with
 * NN_), or from the binary when it is null. Errors: INVALID for two files of one number, a missing
 * or later `after`, or any file's own error. */
enum gradus_status gr_catalog_load(const char *directory, enum gr_language language,
                                   struct gr_catalog *catalog, struct gradus_error *error);
void gr_catalog_free(struct gr_catalog *catalog);
/* Sorts kernels by number and checks them as gr_catalog_load does. */
enum gradus_status gr_catalog_order(struct gr_catalog *catalog, struct gradus_error *error);

/* How many steps a kernel of the catalog is above the one that its `after` lines lead back to: 0
 * for a kernel without `after`. A branch beside the ladder may have a high number and few steps. */
int gr_catalog_steps(const struct gr_catalog *catalog, const struct gr_kernel *kernel);

/* By full name ("03_cache_tile"), number ("3", "03") or the part after the number ("cache_tile").
 * NOT_FOUND names the nearest. */
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
