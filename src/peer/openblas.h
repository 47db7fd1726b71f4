/* openblas.h: shared by the OpenBLAS peers. SPDX-License-Identifier: MIT */
#ifndef PEER_OPENBLAS_H
#define PEER_OPENBLAS_H

#include "peer/library.h"

extern const char *const gr_openblas_files[];

/* Sets the environment, which OpenBLAS reads while it is loaded. `core` null: it selects its
 * core type itself, within the restriction of gr_peer_isa_limit. */
void gr_openblas_prepare(struct gr_peer *peer, const char *core, int threads);
/* Binds the entry points, and reads version, core type and threads from the library. */
enum gradus_status gr_openblas_attach(struct gr_peer *peer, int threads,
                                      struct gr_peer_result *result, struct gradus_error *error);
void gr_openblas_set_threads(struct gr_peer *peer, int threads);

#endif
