/* blis.h: what BLIS and AMD's BLIS share. SPDX-License-Identifier: MIT */
#ifndef PEER_BLIS_H
#define PEER_BLIS_H

#include "peer/library.h"

extern const char *const gr_blis_files[];

/* Architectures of BLIS that suit this CPU's feature bits, best first; null-terminated. */
const char *const *gr_blis_best(void);

/* Initialises BLIS as the first of `architectures` that this library was built with (null: as it
 * likes; gr_peer_held comes before either), and binds its entry points. */
enum gradus_status gr_blis_attach(struct gr_peer *peer, int threads,
                                  const char *const *architectures, struct gr_peer_result *result,
                                  struct gradus_error *error);
void gr_blis_set_threads(struct gr_peer *peer, int threads);

#endif
