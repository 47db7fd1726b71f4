/* backend.h: where kernels run. A backend builds a variant in the parent process (`prepare`) and runs it in the
 * worker (`load`, `run`). One file a backend: be_<name>.c. SPDX-License-Identifier: MIT */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "catalog/variant.h"
#include "core/launch.h"
#include "core/row.h"

/* How the user wants kernels built. */
struct gr_build {
    const char *compiler; /* --cc; null: $CC, then cc, gcc, clang */
    const char *flags;    /* --flags, appended; null: the file's, else "-O3 -march=native" */
    const char *isa;      /* which build of a built-in rung; null: the best that this CPU has */
    bool no_cache;
};

/* A built kernel, as it is handed from the parent to the worker. */
struct gr_artifact {
    char path[1024];    /* a shared object; "" for a kernel inside the binary */
    char symbol[192];   /* its entry */
    char flags[512];    /* the compiler and flags, for the row */
    char variant[160];  /* ISA, parameters, micro-kernel, for the row */
};

struct gr_backend {
    const char *name; /* "cpu" */
    /* COMPILE: error->log has the compiler's words. UNSUPPORTED: cannot run here (the row is skipped). */
    enum gradus_status (*prepare)(const struct gr_variant *variant, const struct gr_build *build,
                                  struct gr_artifact *artifact, struct gradus_error *error);
    enum gradus_status (*load)(const struct gr_artifact *artifact, void **loaded,
                               struct gradus_error *error);
    /* Runs `times` products back to back and stores the nanoseconds of all of them. */
    enum gradus_status (*run)(void *loaded, const struct gr_launch *launch, int times, int64_t *ns,
                              struct gradus_error *error);
    void (*unload)(void *loaded);
};

int gr_backend_count(void);
const struct gr_backend *gr_backend_at(int i);
const struct gr_backend *gr_backend_find(const char *name);

#endif
