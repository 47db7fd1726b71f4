/* bench_peers.h: the libraries to stand beside, opened. SPDX-License-Identifier: MIT */
#ifndef TESTS_BENCH_BENCH_PEERS_H
#define TESTS_BENCH_BENCH_PEERS_H

#include "peer/peer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PEERS = GR_MAX_PEERS };

/* All CPU libraries found here, but none that is the same as another at the same core type. */
static inline int open_peers(int threads, struct gr_peer *peers[MOST_PEERS])
{
    int count = 0;
    for (int i = 0; i < gr_peer_count() && count < MOST_PEERS; i++) {
        struct gradus_error ignored = {0};
        const struct gr_peer_kind *kind = gr_peer_at(i);
        bool opened =
            !kind->device && gr_peer_open(kind, threads, &peers[count], &ignored) == GRADUS_OK;
        gradus_error_clear(&ignored);
        for (int j = 0; opened && j < count; j++)
            if (strcmp(gr_peer_path(peers[j]), gr_peer_path(peers[count])) == 0 &&
                strcmp(gr_peer_about(peers[j])->core, gr_peer_about(peers[count])->core) == 0) {
                gr_peer_close(peers[count]);
                opened = false;
            }
        count += opened;
    }
    return count;
}

static inline int ascending_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The middle one; sorts them. */
static inline double middle_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending_doubles);
    return values[count / 2];
}

#endif
