/* dist_redistribute.h: copies a matrix from one layout to another. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_REDISTRIBUTE_H
#define DIST_DIST_REDISTRIBUTE_H

#include "dist/dist_layout.h"
#include "dist/dist_transport.h"

/* A distributed matrix, as one of the ranks sees it. */
struct gr_dist_matrix {
    struct gr_dist_layout layout;
    void *local;
    int64_t ld; /* leading dimension of the local array, in elements */
};

/* Collective. Copies each element to each rank of `to` that has it. The ranks of both layouts are
 * ranks of `comm`, and each layout is column-major on all of them or on none. In addition to both
 * arrays, a rank allocates memory for all elements that it sends and receives. Errors are the same
 * on all ranks: NO_MEMORY, and those of the transport. */
enum gradus_status gr_dist_redistribute(struct gr_dist_comm *comm,
                                        const struct gr_dist_matrix *from,
                                        const struct gr_dist_matrix *to, int64_t element_bytes,
                                        struct gradus_error *error);

/* The same for several matrices, one after another, after all ranks have agreed once that they can.
 * `status`, with its text in *error, is the result of preparing on this rank. If it is not OK on
 * one rank, all return it, and nothing is sent. `asked` is as for gr_dist_agree. */
enum { GR_DIST_CHANGES = 2 };
struct gr_dist_change {
    struct gr_dist_matrix from, to;
};
enum gradus_status gr_dist_redistribute_all(struct gr_dist_comm *comm,
                                            const struct gr_dist_change *changes, int count,
                                            int64_t element_bytes, enum gradus_status status,
                                            const char *asked, struct gradus_error *error);

#endif
