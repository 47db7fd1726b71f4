/* backend.h: where kernels run. A backend builds a variant in the parent process (`prepare`) and
 * runs it in the worker (`load`, `run`). One file a backend: be_<name>.c defines `const struct
 * gr_backend gr_backend_<name>` and the build finds it by name. SPDX-License-Identifier: MIT */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "catalog/variant.h"
#include "core/launch.h"

/* How the user wants kernels built. */
struct gr_build {
    const char *compiler; /* --cc; null: $CC, then cc, gcc, clang */
    const char *flags;    /* --flags; null: the file's `//@ flags`, else "-O3 -march=native" */
};

/* A built kernel, as it is handed from the parent to the worker. */
struct gr_artifact {
    char backend[16];
    char path[512];     /* a shared object; "" for a kernel inside the binary */
    int pending;        /* the file's slot in base/file.h's table of files to remove; -1: none */
    char symbol[192];   /* its entry */
    char isa[16];       /* what it was built for; "" for a user's file */
    char flags[256];    /* the compiler and its flags, for the row */
    enum gr_dtype type; /* decides the micro-kernel handed to a `ukr` parameter */
};

/* Buffers of the `work` lines. Those marked zero are zeroed before each product, inside the timing.
 */
struct gr_scratch {
    int count;
    void *buffer[GR_MAX_WORKS];
    int64_t bytes[GR_MAX_WORKS];
    bool zero[GR_MAX_WORKS];
};

struct gr_backend {
    const char *name; /* "cpu" */
    /* Builds. COMPILE: error->log has the compiler's words. UNSUPPORTED: cannot run here (the row
     * is skipped). */
    enum gradus_status (*prepare)(const struct gr_variant *variant, const struct gr_build *build,
                                  struct gr_artifact *artifact, struct gradus_error *error);
    /* Removes what prepare made. Harmless on a zeroed artifact. */
    void (*discard)(struct gr_artifact *artifact);
    /* What the device gives to the kernel's expressions. */
    void (*givens)(const struct gr_artifact *artifact, int threads, struct gr_givens *givens);
    enum gradus_status (*load)(const struct gr_artifact *artifact, int threads, void **loaded,
                               struct gradus_error *error);
    /* Runs `times` products back to back and stores the nanoseconds of all of them. launch->ukr and
     * launch->team are the backend's to set. */
    enum gradus_status (*run)(void *loaded, struct gr_launch *launch,
                              const struct gr_scratch *scratch, int times, int64_t *ns,
                              struct gradus_error *error);
    void (*unload)(void *loaded);
};

/* Null when there is none of that name. */
const struct gr_backend *gr_backend_find(const char *name);

#endif
