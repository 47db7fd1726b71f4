/* peer_planted.c: a peer that is added by the test of "one file", and is nowhere.
 * SPDX-License-Identifier: MIT */
#include "peer/peer.h"

static const char *const files[] = {"libplanted-blas.so", 0};

const struct gr_peer_kind gr_peer_planted = {
    .name = "planted",
    .title = "a library that was planted",
    .files = files,
    .remedy = "nothing at all",
    .types = GR_BIT_F32,
};
