/* peer.h: the BLAS libraries that Gradus is compared with. Each is loaded into a link namespace
 * of its own (dlmopen), so that neither its calls reach our symbols nor ours reach its symbols.
 * Each peer is one file: peer_<name>.c defines `const struct gr_peer_kind gr_peer_<name>`, and
 * the build finds it by its name. SPDX-License-Identifier: MIT */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include "records/problem.h"
#include "records/row.h"
#include "registry/peer_count.h"

/* As many as there are kinds of peers: the build counts their files. */
enum { GR_MAX_PEERS = GRADUS_PEER_KINDS };

struct gr_peer; /* an open library */

struct gr_peer_kind {
    /* "openblas", "openblas-best", "openblas-wheel", "onednn", "blis", "mkl", "aocl". */
    const char *name;
    const char *title; /* "OpenBLAS as installed" */
    /* Sonames tried in order, null-terminated; one may include a subfolder. */
    const char *const *files;
    const char *prefix; /* of its symbols; null: none */
    const char *remedy; /* the command that installs it */
    unsigned types;     /* the types it supports: GR_BIT_ bits */
    /* "cuda": its operands are in the memory of this device; null: in host memory. */
    const char *device;
    /* "tf32": the precision with which its results are verified; null: that of the type. A peer
     * with such a precision runs only if the user names it. */
    const char *math;
    bool only_named; /* the same, for a peer with the precision of the type */
    /* It loads its parts with RTLD_GLOBAL, which glibc's loader does not support in a separate
     * namespace (it crashes), so it is loaded into the program's namespace. Files that depend on
     * TBB, which does the same, are loaded there without this. */
    bool in_program;
    /* Sets environment variables of the library (with gr_peer_setenv) before it is loaded. May
     * be null. */
    enum gradus_status (*prepare)(struct gr_peer *peer, int threads, struct gradus_error *error);
    /* Binds the entry points; fills result->version, core and threads. */
    enum gradus_status (*attach)(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error);
    /* Sets the number of threads for calls from the calling thread. Called before `run` whenever
     * the thread or the number has changed. */
    void (*set_threads)(struct gr_peer *peer, int threads);
    /* Why it does not compute a product whose types it supports, as text that is not freed; null:
     * it does. May be null. */
    const char *(*refuses)(const struct gr_problem *problem);
    /* Computes one row-major GEMM. For a device: submits it to the stream. */
    void (*run)(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                const void *b, void *c);
    /* For a device: one GEMM of matrices in host memory, finished when it returns. */
    enum gradus_status (*run_on_host)(struct gr_peer *peer, const struct gr_problem *problem,
                                      const void *a, const void *b, void *c,
                                      struct gradus_error *error);
    /* Additional folders to search (null-terminated; the list and its members are malloc'ed).
     * May be null. */
    char **(*folders)(void);
};

static inline const char *gr_peer_kind_refuses(const struct gr_peer_kind *kind,
                                               const struct gr_problem *problem)
{
    return kind->refuses ? kind->refuses(problem) : NULL;
}

/* All kinds, sorted by name. */
int gr_peer_count(void);
const struct gr_peer_kind *gr_peer_at(int i);
const struct gr_peer_kind *gr_peer_find(const char *name);

/* Opens a library. Searches GRADUS_PEERS (a list of paths), then the active Python environments
 * (VIRTUAL_ENV, CONDA_PREFIX), then the folder into which the build unpacked libraries, then the
 * loader's path. UNSUPPORTED: not found (the text ends with the remedy), found in one of the first
 * two and not loadable (the text is the loader's, which names the file), not for this CPU, or its
 * result for a small GEMM was wrong. A library is loaded once
 * per process into one namespace (glibc has at most 15) and stays loaded after gr_peer_close;
 * opening it again, also with another number of threads, uses the same one. Its threads inherit
 * the CPU affinity of the thread that opens it, so open libraries before pinning. */
enum gradus_status gr_peer_open(const struct gr_peer_kind *kind, int threads, struct gr_peer **peer,
                                struct gradus_error *error);
void gr_peer_close(struct gr_peer *peer);
const struct gr_peer_kind *gr_peer_kind_of(const struct gr_peer *peer);
/* Name, version, core type, threads. */
const struct gr_peer_result *gr_peer_about(const struct gr_peer *peer);
/* The file that it was loaded from; "" if unknown. */
const char *gr_peer_path(const struct gr_peer *peer);
/* Computes one GEMM. UNSUPPORTED if the library does not have that type or refuses it. Several
 * threads may call it at the same time, if all use the library with the same number of threads. */
enum gradus_status gr_peer_run(struct gr_peer *peer, const struct gr_problem *problem,
                               const void *a, const void *b, void *c, struct gradus_error *error);

#endif
