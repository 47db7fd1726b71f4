/* dist_combine.c: what all ranks know becomes one. SPDX-License-Identifier: MIT */
#include "dist/dist_transport.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

enum gradus_status gr_dist_collect(struct gr_dist_comm *comm, const void *data, size_t bytes,
                                   void *all, struct gradus_error *error)
{
    struct gr_dist_message mine = {0, (void *)(uintptr_t)data, bytes};
    if (bytes == 0)
        return GRADUS_OK;
    if (comm->rank > 0)
        return comm->exchange(comm, &mine, 1, NULL, 0, error);
    memcpy(all, data, bytes);
    enum gradus_status status = GRADUS_OK;
    for (int64_t rank = 1; rank < comm->size && status == GRADUS_OK; rank++) {
        const struct gr_dist_message from = {rank, (char *)all + bytes * (size_t)rank, bytes};
        status = comm->exchange(comm, NULL, 0, &from, 1, error);
    }
    return status;
}

/* Up the tree of dist_agree.c: rank r adds what its children 2r + 1 and 2r + 2 have. */
enum gradus_status gr_dist_combine(struct gr_dist_comm *comm, void *data, size_t bytes,
                                   void (*add)(void *sum, const void *x, size_t bytes),
                                   struct gradus_error *error)
{
    char *const received = malloc(bytes + 1);
    enum gradus_status status = received ? GRADUS_OK : gr_fail_memory(error, "a sum", bytes);
    status = gr_dist_agree(comm, status, NULL, error);
    for (int64_t child = 2 * comm->rank + 1;
         child <= 2 * comm->rank + 2 && child < comm->size && status == GRADUS_OK && bytes > 0;
         child++) {
        const struct gr_dist_message from = {child, received, bytes};
        status = comm->exchange(comm, NULL, 0, &from, 1, error);
        if (status == GRADUS_OK)
            add(data, received, bytes);
    }
    free(received);
    const struct gr_dist_message parent = {(comm->rank - 1) / 2, data, bytes};
    if (status == GRADUS_OK && comm->rank > 0 && bytes > 0)
        status = comm->exchange(comm, &parent, 1, NULL, 0, error);
    return status == GRADUS_OK && bytes > 0 ? gr_dist_broadcast(comm, data, bytes, error) : status;
}
