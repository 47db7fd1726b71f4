/* peer.h: the libraries measured against. Each is loaded in a namespace of its own (dlmopen), so
 * that no call of it can reach our symbols, nor the other way round. One file a peer: peer_<name>.c
 * defines `const struct gr_peer_kind gr_peer_<name>` and the build finds it by name.
 * SPDX-License-Identifier: MIT */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include "records/problem.h"
#include "records/row.h"

/* As many as there are kinds of peers: the build counts their files. */
#ifndef GRADUS_PEER_KINDS
#define GRADUS_PEER_KINDS 16 /* where this header is compiled by itself */
#endif
enum { GR_MAX_PEERS = GRADUS_PEER_KINDS };

struct gr_peer; /* an open library */

struct gr_peer_kind {
    const char
        *name; /* "openblas", "openblas-best", "openblas-wheel", "onednn", "blis", "mkl", "aocl" */
    const char *title; /* "OpenBLAS as installed" */
    const char *const
        *files; /* sonames tried in order, null-terminated; one may begin with a subfolder */
    const char *prefix; /* of its symbols; null: none */
    const char *remedy; /* the one command that gets it */
    unsigned types;     /* what it multiplies: GR_BIT_ bits */
    const char *device; /* "cuda": its operands lie in that device's memory; null: the CPU's */
    const char *math;   /* "tf32": what its products are verified as; null: as the type. Such a peer
                         * runs only where it is asked for by name. */
    bool in_program; /* loads its parts with RTLD_GLOBAL, which glibc's loader does not survive in a
                      * namespace of the library's own: it goes into the program's */
    /* Sets environment variables of the library (with gr_peer_setenv) before it is loaded. May be
     * null. */
    enum gradus_status (*prepare)(struct gr_peer *peer, int threads, struct gradus_error *error);
    /* Finds the entry points; fills result->version, core, threads. */
    enum gradus_status (*attach)(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error);
    /* Sets the number of threads of calls from the calling thread. Called before `run` whenever the
     * thread or the number is another than last time. */
    void (*set_threads)(struct gr_peer *peer, int threads);
    /* One product, row-major. For a device: enqueued in its stream. */
    void (*run)(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                const void *b, void *c);
    /* For a device: one product of matrices in host memory, done when it returns. */
    enum gradus_status (*run_on_host)(struct gr_peer *peer, const struct gr_problem *problem,
                                      const void *a, const void *b, void *c,
                                      struct gradus_error *error);
    /* More folders to look in (null-terminated, malloc'ed, released with free as are its members).
     * May be null. */
    char **(*folders)(void);
};

/* All kinds, in the order of their names. */
int gr_peer_count(void);
const struct gr_peer_kind *gr_peer_at(int i);
const struct gr_peer_kind *gr_peer_find(const char *name);

/* Opens one. Looks in GRADUS_PEERS (a path list), then where the build unpacked peers, then where
 * the loader looks. UNSUPPORTED: not found (text ends in the remedy), not for this CPU, or a small
 * product came out wrong. A library is loaded once a process, with one namespace (glibc has 15 to
 * give), and stays loaded after close; opening it again, also for another number of threads, uses
 * the same one. Its threads inherit the CPU affinity of the thread that opens it: open peers before
 * pinning. One product at a time on one library. */
enum gradus_status gr_peer_open(const struct gr_peer_kind *kind, int threads, struct gr_peer **peer,
                                struct gradus_error *error);
void gr_peer_close(struct gr_peer *peer);
const struct gr_peer_kind *gr_peer_kind_of(const struct gr_peer *peer);
/* Name, version, core type, threads. */
const struct gr_peer_result *gr_peer_about(const struct gr_peer *peer);
/* The file it was loaded from; "" when unknown. */
const char *gr_peer_path(const struct gr_peer *peer);
/* Runs one product. UNSUPPORTED when the library has no such type. */
enum gradus_status gr_peer_run(struct gr_peer *peer, const struct gr_problem *problem,
                               const void *a, const void *b, void *c, struct gradus_error *error);

#endif
