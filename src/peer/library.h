/* library.h: the functions and data of an open library for the files of the peers.
 * SPDX-License-Identifier: MIT */
#ifndef PEER_LIBRARY_H
#define PEER_LIBRARY_H

#include "peer/peer.h"
#include "peer/space.h"

#include <stdatomic.h>

enum { GR_PEER_ENTRIES = 6 };

/* The command that downloads libraries which distributions package. */
#define GR_FETCH_PEERS "scripts/fetch-peers.sh build/peers"
/* The command that downloads a library of PyPI into a virtual environment and activates it. */
#define GR_PIP_INSTALL(package)                                                                    \
    "python3 -m venv build/venv && . build/venv/bin/activate && pip install " package

/* A library in its link namespace. It is loaded once per process and never unloaded, because its
 * threads would survive dlclose. */
struct gr_library {
    const struct gr_peer_kind *kind;
    struct gr_space space;
    void *handle;
    void (*entries[GR_PEER_ENTRIES])(void); /* entry points, stored by the kind's `attach` */
    bool has_space, loaded;
    atomic_int threads; /* the argument of the last set_threads call, on whichever thread */
};

struct gr_peer {
    struct gr_library *library;
    int threads;
    struct gr_peer_result about;
};

/* The ISA level that GRADUS_ISA restricts Gradus to, if this CPU supports a higher one. The
 * library is restricted to it as well, so that the comparison is fair. Null: no restriction. */
const char *gr_peer_isa_limit(void);

/* Sets an environment variable in the peer's namespace; a null value removes it. */
void gr_peer_setenv(struct gr_peer *peer, const char *name, const char *value);
void gr_peer_setenv_int(struct gr_peer *peer, const char *name, int value);

/* The address of a symbol of the library or of its dependencies, or null. */
void (*gr_peer_symbol(const struct gr_peer *peer, const char *name))(void);
/* Stores the address of a symbol as entry point i. UNSUPPORTED: "openblas: …/libopenblas.so.0
 * has no symbol x". */
enum gradus_status gr_peer_bind(struct gr_peer *peer, int i, const char *name,
                                struct gradus_error *error);

/* Entry points 0 and 1 are cblas_sgemm and cblas_dgemm with 32-bit integers; 2 is the library's
 * bf16 GEMM with the same arguments, whose name is `bf16` (null or missing: the library has
 * none). gr_cblas_bind binds them, and gr_cblas_run, which can be a kind's `run`, calls them. */
enum { GR_CBLAS_ENTRIES = 3 };
enum gradus_status gr_cblas_bind(struct gr_peer *peer, const char *bf16,
                                 struct gradus_error *error);
void gr_cblas_run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                  const void *b, void *c);

/* Where libraries are searched: in the folders of GRADUS_PEERS; in the Python environments that are
 * active (VIRTUAL_ENV, then CONDA_PREFIX, which activating sets); where the build or the program's
 * folder has unpacked libraries; and in the loader's LD_LIBRARY_PATH. */
enum { GR_PEERS_NAMED = 1, GR_PEERS_ACTIVE = 2, GR_PEERS_UNPACKED = 4, GR_PEERS_LOADER = 8 };

/* The folders of these places, in this order; malloc'ed, null-terminated; free them with
 * gr_peer_folders_free. Null if memory is out. */
char **gr_peer_folders(unsigned places);
void gr_peer_folders_free(char **folders);

#endif
