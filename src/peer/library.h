/* library.h: what the file of one peer may use of its open library. SPDX-License-Identifier: MIT */
#ifndef PEER_LIBRARY_H
#define PEER_LIBRARY_H

#include "peer/peer.h"
#include "peer/space.h"

#include <pthread.h>

enum { GR_PEER_ENTRIES = 6 };

/* The command that gets what distributions have. */
#define GR_FETCH_PEERS "scripts/fetch-peers.sh build/peers"

/* A library in its namespace. It is loaded once a process and stays: its threads outlive any
 * dlclose. */
struct gr_library {
    const struct gr_peer_kind *kind;
    struct gr_space space;
    void *handle;
    void (*entries[GR_PEER_ENTRIES])(void); /* entry points, as the kind's attach stores them */
    bool has_space, loaded;
    int threads;      /* set_threads was last called with this, */
    pthread_t caller; /* from this thread */
};

struct gr_peer {
    struct gr_library *library;
    int threads;
    struct gr_peer_result about;
};

/* The level that GRADUS_ISA holds the library to, below the best that runs here; a peer that may
 * use more would be no yardstick, so it is held to it too. Null: nothing is held. */
const char *gr_peer_held(void);

/* Sets a variable in the peer's namespace; a null value removes it. */
void gr_peer_setenv(struct gr_peer *peer, const char *name, const char *value);
void gr_peer_setenv_int(struct gr_peer *peer, const char *name, int value);

/* The address of a symbol of the library or of what it needs; null when there is none. */
void (*gr_peer_symbol(const struct gr_peer *peer, const char *name))(void);
/* The same, stored as entry point i. UNSUPPORTED: "openblas: …/libopenblas.so.0 has no symbol x".
 */
enum gradus_status gr_peer_bind(struct gr_peer *peer, int i, const char *name,
                                struct gradus_error *error);

/* Entry points 0 and 1 are cblas_sgemm and cblas_dgemm with 32-bit integers, and 2 the library's
 * product of bf16 with the same arguments, which it calls `bf16` (null, or not there: it has none):
 * bound by the first, called by the second, which fits `run`. */
enum { GR_CBLAS_ENTRIES = 3 };
enum gradus_status gr_cblas_bind(struct gr_peer *peer, const char *bf16,
                                 struct gradus_error *error);
void gr_cblas_run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                  const void *b, void *c);

/* The folders in which peers and what they need are looked for, in order; malloc'ed,
 * null-terminated, to be released with gr_peer_folders_free. Null when memory is out. */
char **gr_peer_folders(void);
void gr_peer_folders_free(char **folders);

#endif
