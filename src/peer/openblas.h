/* openblas.h: what the OpenBLAS peers share. SPDX-License-Identifier: MIT */
#ifndef PEER_OPENBLAS_H
#define PEER_OPENBLAS_H

#include "peer/library.h"

extern const char *const gr_openblas_files[];

/* OpenBLAS reads its environment while it is loaded. `core` null: it picks its core type itself,
 * but for gr_peer_held. */
void gr_openblas_prepare(struct gr_peer *peer, const char *core, int threads);
/* Entry points; version, core type and threads by its own words. */
enum gradus_status gr_openblas_attach(struct gr_peer *peer, int threads,
                                      struct gr_peer_result *result, struct gradus_error *error);
void gr_openblas_set_threads(struct gr_peer *peer, int threads);

#endif
