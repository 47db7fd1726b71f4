/* blis.h: shared by the peers for BLIS and AMD's BLIS. SPDX-License-Identifier: MIT */
#ifndef PEER_BLIS_H
#define PEER_BLIS_H

#include "peer/library.h"

extern const char *const gr_blis_files[];

/* The architectures of BLIS that this CPU's features support, best first; null-terminated. */
const char *const *gr_blis_best(void);

/* Initializes BLIS for the first of `architectures` that the library was built with (null: its
 * own choice; gr_peer_isa_limit takes precedence over both), and binds its entry points. */
enum gradus_status gr_blis_attach(struct gr_peer *peer, int threads,
                                  const char *const *architectures, struct gr_peer_result *result,
                                  struct gradus_error *error);
void gr_blis_set_threads(struct gr_peer *peer, int threads);

#endif
