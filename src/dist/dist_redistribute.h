/* dist_redistribute.h: brings a matrix from one layout into another. SPDX-License-Identifier: MIT
 */
#ifndef DIST_DIST_REDISTRIBUTE_H
#define DIST_DIST_REDISTRIBUTE_H

#include "dist/dist_layout.h"
#include "dist/dist_transport.h"

/* A matrix over ranks, as one of them sees it. */
struct gr_dist_matrix {
    struct gr_dist_layout layout;
    void *local;
    int64_t ld; /* elements between two rows (col_major: columns) of the local array */
};

/* Collective: copies each element to each rank of `to` that has it. The ranks of both layouts are
 * ranks of `comm`, and each is column-major on all of them or on none. Besides both arrays a rank
 * takes memory for all elements that it sends and receives. Errors are the same on all ranks:
 * NO_MEMORY, those of the transport. */
enum gradus_status gr_dist_redistribute(struct gr_dist_comm *comm,
                                        const struct gr_dist_matrix *from,
                                        const struct gr_dist_matrix *to, int64_t element_bytes,
                                        struct gradus_error *error);

#endif
