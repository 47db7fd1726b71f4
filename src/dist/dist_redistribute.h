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

/* The same of several matrices, one after another, after all ranks have agreed once that they can.
 * `status`, with its text in *error, is how preparing went on this rank: if it is not OK on one,
 * all return it, and nothing is sent. `asked` is as for gr_dist_agree. */
enum { GR_DIST_CHANGES = 2 };
struct gr_dist_change {
    struct gr_dist_matrix from, to;
};
enum gradus_status gr_dist_redistribute_all(struct gr_dist_comm *comm,
                                            const struct gr_dist_change *changes, int count,
                                            int64_t element_bytes, enum gradus_status status,
                                            const char *asked, struct gradus_error *error);

#endif
